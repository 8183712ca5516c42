import { Command } from "commander";
import { z } from "zod";

import { randomBase62 } from "../access/credential-format.ts";
import { sha256Hex } from "../core/hash.ts";
import { parseJson } from "../core/input/parse-json.ts";
import { askWrangler, failureReason } from "./deploy/wrangler-command.ts";
import { CommandFailure } from "./failure.ts";
import { DEFAULT_STATE, IS_PACKED } from "./installation.ts";
import { afterHelp } from "./run-command.ts";
import { parseServiceUrl, DEFAULT_URL } from "./target-options.ts";
import { pathOfUser } from "./terminal.ts";
import { servedPort } from "./worker/claim-state.ts";
import { askDatabase, hasDatabase, buildIfChanged } from "./worker/workerd.ts";

const CODE_LENGTH = 43;
const GOOD_FOR_MS = 600_000;

const { QUARRY_URL: URL_VARIABLE } = process.env;

type Options = { email?: string; env?: string; state: string; url?: string };

/** The way back in when nobody can sign in with the provider. */
export function adminLinkCommand(): Command {
  const command = new Command("admin-link")
    .description("print a link that signs an administrator in, once, within ten minutes")
    .option("--email <address>", "administrator to sign in (default: the first one)")
    .option("--url <url>", "address of the service (default: of the one that runs)", URL_VARIABLE)
    .option("--state <dir>", "folder of local state", DEFAULT_STATE)
    .action(printLink);
  if (IS_PACKED) return command;
  // wrangler.toml of a checkout names the deployment.
  return command
    .option("--env <name>", "deployment whose database wrangler writes to, such as production")
    .addHelpText(
      "after",
      afterHelp(
        "For a deployment: npx quarry admin-link --env production --url https://quarry.example.com",
      ),
    );
}

async function printLink({ email, env, state, url }: Options): Promise<void> {
  const port = env === undefined ? servedPort(pathOfUser(state)) : null;
  const base = parseServiceUrl(url ?? (port === null ? DEFAULT_URL : `http://localhost:${port}`));
  const code = randomBase62(CODE_LENGTH);
  const [link] = await execute(insertion(await sha256Hex(code), email), env, pathOfUser(state));
  if (link === undefined) {
    throw new CommandFailure(
      email === undefined
        ? "There is no administrator yet: the first sign-in makes one."
        : `No administrator has the address ${email}.`,
    );
  }
  console.error(`For ${link.email}, once, within ten minutes:`);
  console.log(`${base}/panel/sign-in/link?code=${code}`);
}

const rows = z.array(z.object({ email: z.string() }));

/** Only the hash leaves this process. The database's own clock counts the ten minutes. */
function insertion(hash: string, email: string | undefined): string {
  const whose = email === undefined ? "" : `and email = ${quoteSql(email.trim().toLowerCase())}`;
  return `insert into sign_in_secrets (hash, user_id, expires_at)
    select ${quoteSql(hash)}, id, cast(unixepoch('subsec') * 1000 as integer) + ${GOOD_FOR_MS}
    from users where role = 'admin' ${whose} order by created_at, id limit 1
    returning (select email from users where id = user_id) as email`;
}

const quoteSql = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** @throws CommandFailure */
async function execute(sql: string, env: string | undefined, state: string) {
  if (env === undefined) {
    if (!hasDatabase(state)) {
      throw new CommandFailure(
        `${state} holds no state. Name its folder with --state${IS_PACKED ? "" : ", or a deployment with --env"}.`,
      );
    }
    await buildIfChanged("database");
    return rows.parse(await askDatabase(state, sql));
  }
  const output = await askWrangler([...QUERY, sql, "--env", env]);
  if (output.code !== 0) throw new CommandFailure(`The link is not made: ${failureReason(output)}`);
  return z.tuple([z.object({ results: rows })]).parse(parseJson(output.stdout))[0].results;
}

const QUERY = ["d1", "execute", "DB", "--remote", "--json", "--command"];
