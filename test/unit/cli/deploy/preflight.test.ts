import { beforeEach, expect, test } from "vitest";

import { preflight } from "../../../../src/cli/deploy/preflight.ts";
import { readDeploySettings } from "../../../../src/cli/deploy/settings.ts";
import type { Finding } from "../../../../src/cli/deploy/wrangler-command.ts";
import { EMPTY_ACCOUNT, type Account } from "../../../doubles/wrangler/account.ts";
import { answerOf } from "../../../doubles/wrangler/answer.ts";

const production = {
  ...readDeploySettings("production"),
  accountId: undefined as string | undefined,
};
const preview = { ...readDeploySettings("preview"), accountId: undefined as string | undefined };

let account: Account;
let calls: string[];
beforeEach(() => {
  account = structuredClone(EMPTY_ACCOUNT);
  calls = [];
});

const change = (changes: Partial<Account>) => Object.assign(account, structuredClone(changes));

async function ask(args: string[]) {
  calls.push(args.join(" "));
  return answerOf(account, args);
}

const look = (settings = production) => preflight(ask, settings);
const stateOf = (findings: Finding[]) =>
  Object.fromEntries(findings.map(({ what, state }) => [what, state]));
const notThere = (findings: Finding[]) =>
  Object.fromEntries(
    findings.filter(({ state }) => state !== "there").map(({ what, state }) => [what, state]),
  );

/** Everything that production asks for. */
function complete(): Partial<Account> {
  const { database, namespace, buckets, queues, vectorIndex, secrets } = production;
  const { name, dimensions, metadataIndexes = [] } = vectorIndex ?? { name: "", dimensions: 0 };
  return {
    databases: [{ name: database.name, uuid: database.id }],
    namespaces: [{ title: namespace.name, id: namespace.id }],
    buckets,
    queues,
    indexes: [{ name, dimensions, metric: "cosine", properties: [...metadataIndexes] }],
    secrets,
  };
}

/** Runs the commands that were printed, in their order. */
function runFixes(findings: Finding[]): void {
  for (const line of findings.flatMap(({ fix = [] }) => fix)) {
    const [, command] = /(?:^|\| )npx wrangler (.*)$/.exec(line) ?? [];
    if (command === undefined) expect(line).toMatch(/^#/);
    else expect(answerOf(account, command.split(" "))).toMatchObject({ code: 0 });
  }
}

test("in an empty account all is missing, and only the printed commands create it", async () => {
  const empty = structuredClone(account);
  const before = await look();
  expect(account).toEqual(empty);
  expect(before.ready).toBe(false);
  expect(notThere(before.findings)).toEqual({
    "D1 database quarry": "missing",
    "KV namespace quarry-programs": "missing",
    "R2 bucket quarry-files": "missing",
    "queue quarry-scan-dead": "missing",
    "queue quarry-index-dead": "missing",
    "queue quarry-usage-dead": "missing",
    "queue quarry-scan": "missing",
    "queue quarry-index": "missing",
    "queue quarry-usage": "missing",
    "Vectorize index quarry": "missing",
    "secret ENCRYPTION_KEY": "missing",
    "secret PANEL_ADMIN_EMAIL": "missing",
    "secret PANEL_ADMIN_PASSWORD": "missing",
  });
  runFixes(before.findings);
  const after = await look();
  expect(notThere(after.findings)).toEqual({});
  expect(after.ready).toBe(true);
  expect(account.indexes).toEqual([
    expect.objectContaining({ name: "quarry", dimensions: 1_024, metric: "cosine" }),
  ]);
});

test("the preview has resources of its own, none of production's", async () => {
  change(complete());
  const { findings } = await look(preview);
  expect(new Set(Object.values(notThere(findings)))).toEqual(new Set(["missing"]));
  runFixes(findings);
  expect((await look(preview)).ready).toBe(true);
});

test("an account without R2 is told where to switch it on, before the bucket is made", async () => {
  change({ ...complete(), hasR2: false, buckets: [] });
  const { findings, ready } = await look();
  expect(ready).toBe(false);
  expect(notThere(findings)).toEqual({ "R2 bucket quarry-files": "missing" });
  const fix = findings.flatMap((finding) => finding.fix ?? []);
  expect(fix).toEqual([
    expect.stringContaining("# switch R2 on: https://dash.cloudflare.com/"),
    "npx wrangler r2 bucket create quarry-files",
  ]);
});

test("without a sign-in nothing else is asked", async () => {
  change({ loggedIn: false });
  const { findings, ready } = await look();
  expect(ready).toBe(false);
  expect(stateOf(findings)).toEqual({ "sign-in": "missing", variables: "there" });
  expect(findings[0]?.fix?.[0]).toBe("npx wrangler login");
  expect(calls).toEqual(["whoami --json"]);
});

test("of several accounts one must be named", async () => {
  const accounts = [
    { id: "aaaa", name: "Moss" },
    { id: "bbbb", name: "Heather" },
  ];
  change({ ...complete(), accounts });
  const { findings } = await look();
  expect(findings[0]).toMatchObject({ what: "sign-in", state: "wrong" });
  expect(findings[0]?.fix).toContain("export CLOUDFLARE_ACCOUNT_ID=bbbb  # Heather");
  const report = await look({ ...production, accountId: "bbbb" });
  expect(report.ready).toBe(true);
});

test("a database id that differs from wrangler.toml's prints the line to write", async () => {
  change({ ...complete(), databases: [{ name: "quarry", uuid: "the-real-id" }] });
  const { findings, ready } = await look();
  expect(ready).toBe(false);
  const database = findings.find(({ what }) => what === "D1 database quarry");
  expect(database?.state).toBe("wrong");
  expect(database?.fix).toContain('# database_id = "the-real-id"');
});

test("what is there in part is completed, not made anew", async () => {
  const index = { name: "quarry", dimensions: 1_024, metric: "cosine", properties: ["file"] };
  change({
    ...complete(),
    queues: production.queues.filter((name) => name !== "quarry-index-dead"),
    indexes: [index],
    secrets: ["ENCRYPTION_KEY"],
  });
  const { findings } = await look();
  expect(notThere(findings)).toEqual({
    "queue quarry-index-dead": "missing",
    "metadata indexes of quarry": "missing",
    "secret PANEL_ADMIN_EMAIL": "missing",
    "secret PANEL_ADMIN_PASSWORD": "missing",
  });
  runFixes(findings);
  expect((await look()).ready).toBe(true);
});

test("a vector index of another shape is never deleted: another one is made beside it", async () => {
  const index = { name: "quarry", dimensions: 768, metric: "cosine", properties: [] };
  change({ ...complete(), indexes: [index] });
  const { findings, ready } = await look();
  expect(ready).toBe(false);
  const finding = findings.find(({ what }) => what === "Vectorize index quarry");
  expect(finding).toMatchObject({ state: "wrong" });
  expect(finding?.note).toContain("768 dimensions");
  expect(finding?.fix?.join("\n")).toContain("vectorize create quarry-1024 --dimensions=1024");
  expect(finding?.fix?.join("\n")).not.toContain("delete");
});

test("what wrangler cannot find out is unknown, and stops the deployment", async () => {
  change({
    ...complete(),
    broken: ["queues info", "r2 bucket info", "vectorize list", "secret list"],
  });
  const { findings, ready } = await look();
  expect(ready).toBe(false);
  const unknown = findings.filter(({ state }) => state === "unknown");
  expect(unknown.map(({ what }) => what)).toEqual([
    "R2 bucket quarry-files",
    ...production.queues.map((name) => `queue ${name}`),
    "Vectorize index quarry",
    "secrets",
  ]);
  for (const { note } of unknown) expect(note).toContain("Unable to resolve Cloudflare's API");
});

test("a variable that the Worker would refuse is found before anything is deployed", async () => {
  change(complete());
  const variables = {
    ...production.variables,
    VECTOR_INDEX: "pinecone",
    ALLOW_PRIVATE_URLS: "true",
  };
  const { findings, ready } = await look({ ...production, variables });
  expect(ready).toBe(false);
  const finding = findings.find(({ what }) => what === "variables");
  expect(finding?.state).toBe("wrong");
  expect(finding?.note).toContain("VECTOR_INDEX");
});

test("without a network the advice is about the network, not about signing in", async () => {
  const stderr =
    "✘ [ERROR] Unable to resolve Cloudflare's API hostname (api.cloudflare.com or dash.cloudflare.com).\n";
  const offline = () => Promise.resolve({ code: 1, stdout: "", stderr });
  const { findings, ready } = await preflight(offline, production);
  expect(ready).toBe(false);
  const [signIn] = findings;
  expect(signIn).toMatchObject({ state: "unknown", note: "Cloudflare cannot be reached" });
  expect(signIn?.fix?.join("\n")).toMatch(/check the network/);
  expect(signIn?.fix?.join("\n")).not.toContain("login");
});
