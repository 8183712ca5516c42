import { there, type Finding } from "./finding.ts";
import { reasonSaid, type AskWrangler, type Said } from "./wrangler-command.ts";

/** How R2 (code 10006) and Queues report that a resource does not exist. */
const ABSENT = /does not exist|not found|10006/i;

/** R2 has to be enabled once per account in the dashboard. */
const R2_IS_OFF = /10042|enable R2/i;
const R2_PAGE = "https://dash.cloudflare.com/?to=/:account/r2/overview";

export async function checkBucket(ask: AskWrangler, name: string): Promise<Finding> {
  const what = `R2 bucket ${name}`;
  const said = await ask(["r2", "bucket", "info", name, "--json"]);
  const create = `npx wrangler r2 bucket create ${name}`;
  if (said.code === 0 || !R2_IS_OFF.test(reasonSaid(said))) return found(what, said, create);
  const note = "the account has no R2 yet";
  return { what, state: "missing", note, fix: [`# switch R2 on: ${R2_PAGE}`, create] };
}

export async function checkQueue(ask: AskWrangler, name: string): Promise<Finding> {
  const said = await ask(["queues", "info", name]);
  return found(`queue ${name}`, said, `npx wrangler queues create ${name}`);
}

function found(what: string, said: Said, create: string): Finding {
  if (said.code === 0) return there(what);
  const reason = reasonSaid(said);
  if (ABSENT.test(reason)) return { what, state: "missing", fix: [create] };
  return { what, state: "unknown", note: reason };
}
