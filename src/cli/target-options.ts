import type { Command } from "commander";

import { webUrlIn } from "../core/input/web-address.ts";
import { panelApi } from "./api/clients.ts";
import { CommandFailure } from "./failure.ts";
import { START_COMMAND } from "./installation.ts";
import { afterHelp } from "./run-command.ts";
import { openTerminal } from "./terminal.ts";

export const DEFAULT_URL = "http://localhost:8787";

/** The base address of a service, without the slash at its end. @throws CommandFailure */
export function parseServiceUrl(text: string): string {
  const address = webUrlIn(text);
  if (address === null) {
    throw new CommandFailure(`--url must be an http or https address, not ${text}`);
  }
  if (/\/\/[^/]*@/.test(address.href))
    throw new CommandFailure("--url must not contain a user name");
  const base = text.replace(/\/+$/, "");
  const part = /\/(panel\/api|api|panel|v1)$/.exec(base);
  if (part === null) return base;
  const suggestion = base.slice(0, part.index);
  throw new CommandFailure(`--url is the service's address without ${part[0]}: ${suggestion}`);
}

const CREDENTIALS = {
  QUARRY_TOKEN: {
    what: "an access token (qry_…)",
    otherPrefix: "qrya_",
    other: "QUARRY_KEY",
    lacks: `Set QUARRY_TOKEN to an access token. ${START_COMMAND} prints one.`,
    help: `QUARRY_TOKEN holds the access token. ${START_COMMAND} prints one; create others in the panel.`,
  },
  QUARRY_KEY: {
    what: "an automation key (qrya_…)",
    otherPrefix: "qry_",
    other: "QUARRY_TOKEN",
    lacks:
      "Set QUARRY_KEY to an automation key. Administrators create one in the panel (Settings, Automation keys).",
    help: "QUARRY_KEY holds an administrator's automation key; create one in the panel (Settings, Automation keys).",
  },
} as const;
type Credential = keyof typeof CREDENTIALS;

/** The options of a command that asks a service; `--json` prints `printed`. */
export function withTarget(command: Command, credential: Credential, printed: string): Command {
  return command
    .option("--url <url>", "address of the service", process.env["QUARRY_URL"] ?? DEFAULT_URL)
    .option("--json", `print ${printed} as JSON`)
    .addHelpText("after", afterHelp(CREDENTIALS[credential].help));
}

/** @throws CommandFailure without the credential, or for the other kind */
function credentialIn(name: Credential, environment: NodeJS.ProcessEnv): string {
  const { what, otherPrefix, other: otherName, lacks } = CREDENTIALS[name];
  const value = (environment[name] ?? "").trim();
  if (value === "") throw new CommandFailure(lacks);
  // An error of `fetch` would show it.
  if (!/^[!-~]+$/.test(value)) throw new CommandFailure(`${name} is not ${what}: set it again`);
  if (!value.startsWith(otherPrefix)) return value;
  throw new CommandFailure(
    `${name} holds ${CREDENTIALS[otherName].what}, which goes into ${otherName}. This command needs ${what}.`,
  );
}

export const tokenIn = (from: NodeJS.ProcessEnv) => credentialIn("QUARRY_TOKEN", from);

export const keyIn = (from: NodeJS.ProcessEnv) => credentialIn("QUARRY_KEY", from);

/** The panel API with the key of the environment, and where the command prints. */
export const panelTarget = ({ url, json = false }: { url: string; json?: boolean | undefined }) => {
  const api = panelApi(parseServiceUrl(url), keyIn(process.env));
  return { api, terminal: openTerminal(json) };
};
