import { z } from "zod";

import { ConfigError, parseConfig } from "../../config.ts";
import { there, type Finding } from "./finding.ts";
import type { DeploySettings } from "./settings.ts";
import { jsonSaid, reasonSaid, type AskWrangler } from "./wrangler-command.ts";

/** 32 zero bytes in the form of a key, for checking the other settings. */
const ANY_KEY = `${"A".repeat(43)}=`;

/** Checks the variables of wrangler.toml as the Worker itself reads them. */
export function checkVariables({ variables, environment }: DeploySettings): Finding {
  const what = "variables";
  try {
    parseConfig({ ...variables, ENCRYPTION_KEY: ANY_KEY });
    return there(what);
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    const fix = [`# correct them under [env.${environment}.vars] of wrangler.toml`];
    return { what, state: "wrong", note: thrown.message, fix };
  }
}

const secretList = z.array(z.object({ name: z.string() }));
/** wrangler's error before the first deployment of the Worker. */
const NO_WORKER = /worker .*not found|does not exist/i;

/** One finding for each secret: secret names can be listed, values cannot. */
export async function checkSecrets(
  ask: AskWrangler,
  { secrets, environment }: DeploySettings,
): Promise<Finding[]> {
  const said = await ask(["secret", "list", "--env", environment]);
  const listed = jsonSaid(said, secretList);
  if (listed === null && !NO_WORKER.test(reasonSaid(said))) {
    return [{ what: "secrets", state: "unknown", note: reasonSaid(said) }];
  }
  const known = new Set((listed ?? []).map(({ name }) => name));
  return secrets.map((name) => {
    const what = `secret ${name}`;
    if (known.has(name)) return there(what);
    const put = `npx wrangler secret put ${name} --env ${environment}`;
    const fix = [name === "ENCRYPTION_KEY" ? `openssl rand -base64 32 | ${put}` : put];
    return { what, state: "missing", fix };
  });
}
