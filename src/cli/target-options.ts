import { CommandFailure } from "./failure.ts";
import { START_COMMAND } from "./installation.ts";

export const DEFAULT_URL = "http://localhost:8787";
const TOKEN = "an access token (qry_…)";
const KEY = "an automation key (qrya_…)";

/** The base address of a service, without the slash at its end. @throws CommandFailure */
export function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new CommandFailure(`--url must be an http or https address, not ${text}`);
  }
  const base = text.replace(/\/+$/, "");
  const part = /\/(panel\/api|api|panel|v1)$/.exec(base);
  if (part === null) return base;
  const meant = base.slice(0, part.index);
  throw new CommandFailure(`--url is the service's address without ${part[0]}: ${meant}`);
}

/** The access token of the public API. @throws CommandFailure without one, or for a key */
export function tokenIn(environment: NodeJS.ProcessEnv): string {
  const token = environment["QUARRY_TOKEN"] ?? "";
  if (token === "") {
    throw new CommandFailure(`Set QUARRY_TOKEN to an access token. ${START_COMMAND} prints one.`);
  }
  if (!token.startsWith("qrya_")) return token;
  throw new CommandFailure(
    `QUARRY_TOKEN holds ${KEY}, which goes into QUARRY_KEY. This command needs ${TOKEN}.`,
  );
}

/** The automation key of the panel API. @throws CommandFailure without one, or for a token */
export function keyIn(environment: NodeJS.ProcessEnv): string {
  const key = environment["QUARRY_KEY"] ?? "";
  if (key === "") {
    throw new CommandFailure(
      "Set QUARRY_KEY to an automation key. Administrators create one in the panel (Settings, Keys).",
    );
  }
  if (!key.startsWith("qry_")) return key;
  throw new CommandFailure(
    `QUARRY_KEY holds ${TOKEN}, which goes into QUARRY_TOKEN. This command needs ${KEY}.`,
  );
}
