import { z } from "zod";

import { there, type Finding } from "./finding.ts";
import { jsonSaid, reasonSaid, type AskWrangler } from "./wrangler-command.ts";

const whoami = z.object({
  loggedIn: z.boolean(),
  email: z.string().nullish(),
  accounts: z.array(z.object({ id: z.string(), name: z.string() })).optional(),
});

const SIGN_IN = ["npx wrangler login", "# or, without a browser: export CLOUDFLARE_API_TOKEN=…"];

/** How wrangler reports that it reached nobody. */
const OFFLINE = /unable to resolve|fetch failed|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/i;
const CHECK_NETWORK = [
  "# check the network, a proxy (HTTPS_PROXY) and DNS: api.cloudflare.com must answer",
  "# npm run deploy -- --dry-run builds everything offline",
];

/** The other checks need this one to be `there`. */
export async function checkSignIn(
  ask: AskWrangler,
  accountId: string | undefined,
): Promise<Finding> {
  const what = "sign-in";
  const said = await ask(["whoami", "--json"]);
  const answer = jsonSaid(said, whoami);
  if (answer === null) {
    const note = reasonSaid(said);
    return OFFLINE.test(note)
      ? { what, state: "unknown", note: "Cloudflare cannot be reached", fix: CHECK_NETWORK }
      : { what, state: "unknown", note, fix: SIGN_IN };
  }
  if (!answer.loggedIn) {
    return { what, state: "missing", note: "the account cannot be read", fix: SIGN_IN };
  }
  const accounts = answer.accounts ?? [];
  const named = accountId !== undefined && accountId !== "";
  if (accounts.length > 1 && !named) {
    const choices = accounts.map(({ id, name }) => `export CLOUDFLARE_ACCOUNT_ID=${id}  # ${name}`);
    const note = "several accounts: say which one";
    return { what, state: "wrong", note, fix: choices };
  }
  return there(what, accounts.find(({ id }) => !named || id === accountId)?.name);
}
