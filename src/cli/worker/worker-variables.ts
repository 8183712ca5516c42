import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";

import {
  CONFIGURATION_IS_WRONG,
  ConfigError,
  modelName,
  parseConfig,
  variableNames,
} from "../../config.ts";
import { CommandFailure } from "../failure.ts";
import { IS_PACKED, PROJECT } from "../installation.ts";

export type Variables = Record<string, string>;

/** Of a checkout; the packed service has none. */
export const DEV_VARS = IS_PACKED ? null : join(PROJECT, ".dev.vars");

/** Read by the commands, not by the Worker. */
const CHAT_MODEL = "CHAT_MODEL";
const OWNER_ONLY = 0o600;
const QUOTES = ["'", "`", '"'];
/** A local Worker is for development, and its administrator is known. */
const NEVER_PASSED = new Set([
  "ENVIRONMENT",
  "PANEL_ADMIN_EMAIL",
  "PANEL_ADMIN_PASSWORD",
  "PANEL_ADMIN_RESET",
]);

const OF_MODELS = new Set([
  CHAT_MODEL,
  "EMBEDDING_MODEL",
  "EMBEDDING_DIMENSIONS",
  "OPENAI_COMPATIBLE_BASE_URL",
  "OPENAI_COMPATIBLE_API_KEY",
]);

/** The variables of the Worker, and `CHAT_MODEL`, that `.dev.vars` and the environment set. */
export async function givenVariables(
  environment: NodeJS.ProcessEnv,
  file: string | null = DEV_VARS,
): Promise<Variables> {
  const text = file === null ? "" : await readFile(file, "utf8").catch(() => "");
  const chat = setIn({ [CHAT_MODEL]: environment[CHAT_MODEL] });
  return { ...setIn(parseEnv(text)), ...passedBy(environment), ...chat };
}

/** The variables that a local Worker takes from an environment. */
export function passedBy(environment: NodeJS.ProcessEnv): Variables {
  const isPassed = (name: string) => variableNames.includes(name) && !NEVER_PASSED.has(name);
  return Object.fromEntries(Object.entries(setIn(environment)).filter(([name]) => isPassed(name)));
}

/** An empty variable is not set. */
function setIn(variables: NodeJS.Dict<string>): Variables {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value = ""]) =>
      value === "" ? [] : [[name, value]],
    ),
  );
}

/**
 * What the Worker gets beside the models of `modelSettings`. A key that names no server is for
 * none: the server that `npm start` finds must not get it.
 */
export function besidesModels(given: Variables): Variables {
  const others = Object.entries(passedBy(given)).filter(([name]) => !OF_MODELS.has(name));
  const { OPENAI_COMPATIBLE_BASE_URL: server, OPENAI_COMPATIBLE_API_KEY: key } = given;
  const isForNobody = server === undefined && key !== undefined;
  return {
    ...Object.fromEntries(others),
    ...(isForNobody ? { OPENAI_COMPATIBLE_API_KEY: "" } : {}),
  };
}

/**
 * Refuses what the Worker would refuse, before it is started. `isLocal`: it runs with the bindings
 * that wrangler.toml has for this machine.
 * @throws CommandFailure that names each variable and what it may be, never its value
 */
export function checkVariables({ CHAT_MODEL: chat, ...given }: Variables, isLocal = true): void {
  const problems = [
    ...(chat === undefined || modelName.safeParse(chat).success
      ? []
      : [`${CHAT_MODEL}: must be named provider/name, such as local/llama3.2`]),
    ...problemsOf({ ENVIRONMENT: "development", ...given }, isLocal),
  ];
  if (problems.length === 0) return;
  throw new CommandFailure(`${CONFIGURATION_IS_WRONG} ${problems.join("; ")}. ${READ_FROM}`);
}

const READ_FROM =
  DEV_VARS === null
    ? "Variables are read from the environment."
    : "Variables are read from the environment and from .dev.vars; docs/configuration.md lists them.";

function problemsOf(variables: Variables, isLocal: boolean): string[] {
  try {
    const { VECTOR_INDEX: wanted } = parseConfig(variables);
    if (!isLocal || wanted === "embedded") return [];
    return [`VECTOR_INDEX: ${wanted} needs a deployment; on this machine only embedded works`];
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    return thrown.problems;
  }
}

/**
 * Writes variables where `wrangler dev --env-file` reads them, for their owner only; a list of
 * processes would show arguments. Without variables an earlier file is removed. Returns its path
 * in a list, or nothing.
 * @throws CommandFailure for a value that no file can hold
 */
export async function writeVariables(
  stateFolder: string,
  name: string,
  variables: Variables,
): Promise<string[]> {
  const file = resolve(stateFolder, name);
  const lines = Object.entries(variables).map((pair) => `${lineOf(...pair)}\n`);
  if (lines.length === 0) {
    await rm(file, { force: true });
    return [];
  }
  await mkdir(stateFolder, { recursive: true });
  await writeFile(file, lines.join(""), { mode: OWNER_ONLY });
  // The mode passed above applies only to a new file.
  await chmod(file, OWNER_ONLY);
  return [file];
}

/** As dotenv reads it: no quotation mark can be escaped, and `$` begins a variable. */
function lineOf(name: string, value: string): string {
  const quote = QUOTES.find(
    (mark) => !value.includes(mark) && (mark !== '"' || !/\\[nr]/.test(value)),
  );
  if (quote === undefined) {
    throw new CommandFailure(`${name} must not hold each of the quotation marks ' \` and ".`);
  }
  return `${name}=${quote}${value.replaceAll("$", String.raw`\$`)}${quote}`;
}
