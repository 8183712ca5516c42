import { readFile } from "node:fs/promises";
import { join } from "node:path";
// Not by its name: Node.js before 20.12 lacks it, and all commands load this file.
import util from "node:util";

import {
  CONFIGURATION_IS_WRONG,
  ConfigError,
  modelName,
  parseConfig,
  variableNames,
} from "../../config.ts";
import { trimEnd } from "../../core/trim.ts";
import { CommandFailure } from "../failure.ts";
import { IS_PACKED, PROJECT } from "../installation.ts";

export type Variables = Record<string, string>;

/** Only a checkout has it, not the packed service. */
const DEV_VARS = IS_PACKED ? null : join(PROJECT, ".dev.vars");

/** Read by the commands, not by the Worker. */
const CHAT_MODEL = "CHAT_MODEL";
const SERVER = "OPENAI_COMPATIBLE_BASE_URL";
const KEY = "OPENAI_COMPATIBLE_API_KEY";
/** A local Worker is for development; its administrator is known and has no second factor. */
const NEVER_PASSED = new Set([
  "ENVIRONMENT",
  "PANEL_ADMIN_EMAIL",
  "PANEL_ADMIN_PASSWORD",
  "PANEL_ADMIN_RESET",
  "PASSWORD_SIGN_IN",
  "REQUIRE_TOTP",
]);

/**
 * The variables of the Worker, and `CHAT_MODEL`, that `.dev.vars` and the environment set. The key
 * of `.dev.vars` belongs to the server named there: if the environment names another server and no
 * key, the key is empty.
 */
export async function readVariables(
  environment: NodeJS.ProcessEnv,
  file: string | null = DEV_VARS,
): Promise<Variables> {
  const text = file === null ? "" : await readFile(file, "utf8").catch(() => "");
  const inFile = text === "" ? {} : omitEmpty(util.parseEnv(text));
  const variables = pickWorkerVariables(environment);
  const chat = omitEmpty({ [CHAT_MODEL]: environment[CHAT_MODEL] });
  const key = inFile[KEY] !== undefined && isOtherServer(inFile, variables) ? { [KEY]: "" } : {};
  return { ...inFile, ...key, ...variables, ...chat };
}

function isOtherServer(inFile: Variables, variables: Variables): boolean {
  const { [SERVER]: before = "" } = inFile;
  const { [SERVER]: server = before } = variables;
  return trimEnd(server, "/") !== trimEnd(before, "/");
}

function pickWorkerVariables(environment: NodeJS.ProcessEnv): Variables {
  const isPassed = (name: string) => variableNames.includes(name) && !NEVER_PASSED.has(name);
  return Object.fromEntries(
    Object.entries(omitEmpty(environment)).filter(([name]) => isPassed(name)),
  );
}

/** An empty variable is not set. */
export function omitEmpty(variables: NodeJS.Dict<string>): Variables {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value = ""]) =>
      value === "" ? [] : [[name, value]],
    ),
  );
}

/** `settings` of a model server win. A key without a server is withheld from one that is only found. */
export function applySettings(variables: Variables, settings: Variables): Variables {
  const isForNobody = variables[SERVER] === undefined && variables[KEY] !== undefined;
  return { ...variables, ...(isForNobody ? { [KEY]: "" } : {}), ...settings };
}

/** As `--var` takes it, `NAME:VALUE`. @throws CommandFailure with the name alone */
export function pairOf(text: string): [name: string, value: string] {
  const [, name, value] = /^(\w+):(.*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  const [before = ""] = text.split(/[=:]/);
  throw new CommandFailure(`--var ${before} must be NAME:VALUE, such as KEEP_QUERIES_DAYS:30.`);
}

/**
 * Refuses what the Worker would refuse, before it is started. `isLocal`: it runs with the bindings
 * that wrangler.toml has for this machine.
 * @throws CommandFailure that names each variable and what it may be, never its value
 */
export function checkVariables({ CHAT_MODEL: chat, ...variables }: Variables, isLocal = true) {
  const problems = [
    ...(chat === undefined || modelName.safeParse(chat).success
      ? []
      : [`${CHAT_MODEL}: must be named provider/name, such as local/llama3.2`]),
    ...problemsOf({ ENVIRONMENT: "development", ...variables }, isLocal),
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
    const { VECTOR_INDEX: vectorIndex } = parseConfig(variables);
    if (!isLocal || vectorIndex === "embedded") return [];
    return [`VECTOR_INDEX: ${vectorIndex} needs a deployment; on this machine only embedded works`];
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    return thrown.problems;
  }
}
