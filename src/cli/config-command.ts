import { Command } from "commander";
import { readFileSync } from "node:fs";

import type { components } from "#api-types/panel";
import { messageOf } from "../core/errors.ts";
import { parseJson } from "../core/input/parse-json.ts";
import { isObject } from "../core/is-object.ts";
import { dataOf } from "./api/clients.ts";
import { codeOf, CommandFailure, unusableReason } from "./failure.ts";
import { afterHelp } from "./run-command.ts";
import { panelTarget, withTarget } from "./target-options.ts";
import { pathOfUser } from "./terminal.ts";

type Settings = Record<string, Record<string, Record<string, unknown>>>;
type Options = { url: string; json?: true; dryRun?: true; prune?: true; secrets?: true };

/** The exit code of a dry run that would change something. */
const WOULD_CHANGE = 2;

export const configCommand = (): Command =>
  new Command("config")
    .description("keep the settings of a service in a file")
    .addCommand(
      withTarget(new Command("pull"), "QUARRY_KEY", "the settings")
        .description("print the settings as JSON, with names of variables for secrets")
        .action(async ({ url }: Options) => {
          const { api, terminal } = panelTarget({ url, json: true });
          terminal.result(await dataOf(api.GET("/config")));
        }),
    )
    .addCommand(
      withTarget(new Command("apply"), "QUARRY_KEY", "the changes")
        .description("make the service equal a file of settings")
        .argument("<file>", "file that `config pull` printed")
        .option("--dry-run", "print the changes without making them")
        .option("--prune", "remove what the file lacks, of the kinds that it has")
        .option("--secrets", "send the secrets of what exists as well")
        .addHelpText("after", afterHelp("A dry run that would change something exits with 2."))
        .action(apply),
    );

async function apply(file: string, { url, json, secrets, ...options }: Options): Promise<void> {
  const { dryRun = false, prune = false } = options;
  const { api, terminal } = panelTarget({ url, json });
  const existing = secrets ? {} : await dataOf(api.GET("/config"));
  const body = withSecrets(readSettings(pathOfUser(file)), existing, dryRun);
  const query = { dryRun: `${dryRun}`, prune: `${prune}` } as const;
  const plan = await dataOf(api.POST("/config", { params: { query }, body }));
  terminal.result(plan);
  const changes = [...plan.made, ...plan.changed, ...(prune ? plan.unlisted : [])];
  for (const line of linesOf(plan, prune)) terminal.say(line);
  if (changes.length === 0) terminal.say("Nothing changes.");
  if (dryRun && changes.length > 0) process.exitCode = WOULD_CHANGE;
}

type Plan = components["schemas"]["AppliedSettings"];

const linesOf = ({ changed, ...plan }: Plan, prune: boolean): string[] => [
  ...plan.made.map((thing) => `+ ${thing}`),
  ...changed.flatMap(({ thing, fields }) => [`~ ${thing}`, ...fields.map(changeText)]),
  ...plan.unlisted.map((thing) =>
    prune ? `- ${thing}` : `  ${thing} is not in the file; --prune removes it`,
  ),
];

/** Secrets and long texts come without their values. */
const changeText = ({ field, from = null, to = null }: Plan["changed"][number]["fields"][number]) =>
  `    ${field}${from === to ? "" : `: ${JSON.stringify(from)} → ${JSON.stringify(to)}`}`;

function readSettings(file: string): Settings {
  try {
    // Without the mark of byte order, with which editors of Windows begin a file.
    const settings: unknown = JSON.parse(readFileSync(file, "utf8").trim());
    if (!isObject(settings)) throw new Error("it must be an object");
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service checks it
    return settings as Settings;
  } catch (thrown) {
    if (codeOf(thrown) !== "") throw new CommandFailure(`${file} ${unusableReason(thrown)}.`);
    throw new CommandFailure(`${file} cannot be read as JSON: ${messageOf(thrown)}`);
  }
}

/** Puts variables of this process in their places, of things that do not exist. */
function withSecrets(settings: Settings, existing: Settings, dryRun: boolean): Settings {
  const missing: string[] = [];
  for (const [kind, things] of Object.entries(settings).filter(([, map]) => isObject(map))) {
    for (const [identifier, values] of Object.entries(things)) {
      if (existing[kind]?.[identifier] !== undefined) continue;
      const text = JSON.stringify(values, (_name, value: unknown) => {
        const name = isObject(value) && Object.keys(value).length === 1 ? value["env"] : null;
        const secret = typeof name === "string" ? process.env[name] : undefined;
        if (typeof name !== "string" || (secret === undefined && dryRun)) return value;
        if (secret === undefined) missing.push(`${kind}.${identifier} needs the variable ${name}`);
        return isObject(parseJson(secret ?? "")) ? parseJson(secret ?? "") : secret;
      });
      things[identifier] = Object(parseJson(text));
    }
  }
  if (missing.length > 0) throw new CommandFailure(missing.join("; "));
  return settings;
}
