import { there, type Finding } from "./finding.ts";
import { reasonSaid, type AskWrangler, type Said } from "./wrangler-command.ts";

/** How R2 (code 10006) and Queues say that there is no such thing. */
const ABSENT = /does not exist|not found|10006/i;

export async function checkBucket(ask: AskWrangler, name: string): Promise<Finding> {
  const said = await ask(["r2", "bucket", "info", name, "--json"]);
  return found(`R2 bucket ${name}`, said, `npx wrangler r2 bucket create ${name}`);
}

export async function checkQueue(ask: AskWrangler, name: string): Promise<Finding> {
  const said = await ask(["queues", "info", name]);
  return found(`queue ${name}`, said, `npx wrangler queues create ${name}`);
}

function found(what: string, said: Said, create: string): Finding {
  if (said.code === 0) return there(what);
  const reason = reasonSaid(said);
  if (ABSENT.test(reason)) return { what, state: "missing", mend: [create] };
  return { what, state: "unknown", note: reason };
}
