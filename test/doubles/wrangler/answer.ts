import type { Output } from "../../../src/cli/worker/processes.ts";
import type { Account } from "./account.ts";

/** wrangler's own way of ending: what it prints on either stream, and its exit code. */
class Failure extends Error {}

const ok = (stdout = ""): Output => ({ code: 0, stdout, stderr: "" });
const json = (value: unknown): Output => ok(JSON.stringify(value, null, 2));

/** A failure of `--json`: the error is the output. */
const failedJson = (value: unknown): Output => ({ ...json(value), code: 1 });

function fail(message: string): never {
  throw new Failure(message);
}

function optionOf(args: string[], name: string): string {
  const option = args.find((arg) => arg.startsWith(`${name}=`));
  return option?.slice(name.length + 1) ?? args[args.indexOf(name) + 1] ?? "";
}

type Command = (account: Account, name: string, args: string[]) => Output;

const COMMANDS: Record<string, Command> = {
  whoami: ({ loggedIn, accounts }) =>
    loggedIn ? json({ loggedIn, email: "owner@example.com", accounts }) : failedJson({ loggedIn }),
  "d1 list": ({ databases }) => json(databases),
  "d1 create": (account, name) => {
    account.databases.push({ uuid: account.nextDatabaseId, name });
    return ok();
  },
  "kv namespace list": ({ namespaces }) => json(namespaces),
  "kv namespace create": (account, title) => {
    account.namespaces.push({ id: account.nextNamespaceId, title });
    return ok();
  },
  "d1 migrations apply": () => ok(),
  "r2 bucket info": ({ hasR2, buckets }, name) => {
    if (!hasR2) fail("Please enable R2 through the Cloudflare Dashboard. [code: 10042]");
    if (buckets.includes(name)) return json({ name });
    return fail("A request to the API failed. The specified bucket does not exist. [code: 10006]");
  },
  "r2 bucket create": ({ buckets }, name) => ok(String(buckets.push(name))),
  "queues info": ({ queues }, name) =>
    queues.includes(name)
      ? ok(`Queue Name: ${name}`)
      : fail(`Queue "${name}" does not exist. To create it, run: …`),
  "queues create": ({ queues }, name) => ok(String(queues.push(name))),
  "vectorize list-metadata-index": ({ indexes }, name) => {
    const { properties = [] } = indexes.find((index) => index.name === name) ?? {};
    return json(properties.map((propertyName) => ({ propertyName, indexType: "String" })));
  },
  "vectorize list": ({ indexes }) =>
    json(indexes.map(({ name, dimensions, metric }) => ({ name, config: { dimensions, metric } }))),
  "vectorize create-metadata-index": ({ indexes }, name, args) => {
    const existing = indexes.find((index) => index.name === name) ?? fail("no such index");
    existing.properties.push(optionOf(args, "--property-name"));
    return ok();
  },
  "vectorize create": ({ indexes }, name, args) => {
    const dimensions = Number(optionOf(args, "--dimensions"));
    indexes.push({ name, dimensions, metric: optionOf(args, "--metric"), properties: [] });
    return ok();
  },
  "secret list": ({ secrets }) =>
    secrets === null
      ? fail('Worker "quarry" (env: production) not found.')
      : json(secrets.map((name) => ({ name, type: "secret_text" }))),
  "secret put": (account, name) => {
    account.secrets = [...(account.secrets ?? []), name];
    return ok();
  },
  deploy: ({ versionId, targets }) => json({ type: "deploy", version_id: versionId, targets }),
};

const NO_TOKEN =
  "In a non-interactive environment, it's necessary to set a CLOUDFLARE_API_TOKEN environment variable";

/**
 * Answers as wrangler 4 does for this account, which the creating commands change; its words
 * are those of wrangler-dist/cli.js of 4.155.
 */
export function answerOf(account: Account, args: string[]): Output {
  try {
    const line = `${args.join(" ")} `;
    const commandName = Object.keys(COMMANDS).find((command) => line.startsWith(`${command} `));
    const command = commandName === undefined ? undefined : COMMANDS[commandName];
    if (commandName === undefined || command === undefined) fail(`Unknown arguments: ${line}`);
    if (!account.loggedIn && commandName !== "whoami") fail(NO_TOKEN);
    if (account.broken.includes(commandName)) fail("Unable to resolve Cloudflare's API hostname.");
    return command(account, args[commandName.split(" ").length] ?? "", args);
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    const stderr = `\n\u001B[31m✘ \u001B[41;31m[ERROR]\u001B[0m ${thrown.message}\n\n🪵  Logs were written to "/x"\n`;
    return { code: 1, stdout: "", stderr };
  }
}
