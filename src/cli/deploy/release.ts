import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

import { parseJson } from "../../core/input/parse-json.ts";
import { CommandFailure } from "../failure.ts";
import { PROJECT } from "../installation.ts";
import { whileWaiting } from "../progress.ts";
import type { Terminal } from "../terminal.ts";
import { upgradeNotice, VERSION_SQL } from "../worker/upgrade.ts";
import type { DeploySettings } from "./settings.ts";
import { askWrangler, parseOutput, runWrangler } from "./wrangler-command.ts";

/** Builds everything and uploads nothing; needs neither account nor network. @throws CommandFailure */
export async function dryRun(terminal: Terminal, { environment }: DeploySettings): Promise<void> {
  const building = askWrangler(["deploy", "--dry-run", "--env", environment]);
  const output = await whileWaiting(terminal.output, "Building everything", building);
  if (output.code !== 0)
    throw new CommandFailure(`Nothing was built.\n${output.stderr}${output.stdout}`);
  terminal.say(output.stdout + output.stderr);
  terminal.say(`Everything was built for ${environment}, nothing was deployed.`);
}

const answers = z.array(z.object({ results: z.array(z.unknown()) }));

/** Says which indexes the new code rebuilds. @throws CommandFailure for a database of a later version */
export async function warnOfUpgrade(terminal: Terminal, { database, environment }: DeploySettings) {
  const where = ["--remote", "--env", environment];
  const statement = ["d1", "execute", database.name, "--json", "--command", VERSION_SQL];
  const [answer] = parseOutput(await askWrangler([...statement, ...where]), answers) ?? [];
  const migrations = await readdir(join(PROJECT, "migrations"));
  const notice = upgradeNotice(answer?.results[0], `The database ${database.name}`, migrations);
  if (notice !== null) terminal.warn(notice);
}

/** Runs before the new code is uploaded: every migration is compatible with the previous code. */
export async function applyRemoteMigrations(settings: DeploySettings): Promise<void> {
  const { database, environment } = settings;
  const args = ["d1", "migrations", "apply", database.name, "--remote", "--env", environment];
  // Without a terminal wrangler lists them, and does not ask.
  await runWrangler(args, "Nothing was deployed", { CI: "1" });
}

const entry = z.object({
  type: z.literal("deploy"),
  version_id: z.string().nullish(),
  targets: z.array(z.string()).nullish(),
});

/** Uploads the code. wrangler writes the result to a file of JSON lines. */
export async function deployCode({ environment }: DeploySettings) {
  const folder = await mkdtemp(join(tmpdir(), "quarry-deploy-"));
  const output = join(folder, "output.ndjson");
  try {
    const args = ["deploy", "--env", environment, ...commitTag()];
    await runWrangler(args, "The new version was not deployed", {
      WRANGLER_OUTPUT_FILE_PATH: output,
    });
    return parseRelease(await readFile(output, "utf8").catch(() => ""));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The version as `/health` reports it, and the Worker's addresses, `https://…`. */
function parseRelease(lines: string) {
  const entries = lines.split("\n").map((line) => entry.safeParse(parseJson(line)).data);
  const { version_id: versionId, targets } = entries.find((each) => each !== undefined) ?? NOTHING;
  const addresses = (targets ?? []).map(addressOf).filter((address) => address !== null);
  return { versionId: versionId ?? null, addresses };
}
const NOTHING = { version_id: null, targets: [] };

/** Custom domains are bare names with a remark; routes and cron entries are not addresses. */
function addressOf(target: string): string | null {
  if (target.startsWith("https://")) return target.split(" ", 1)[0] ?? null;
  const domain = /^([a-z0-9.-]+\.[a-z]+) \(custom domain/.exec(target)?.[1];
  return domain === undefined ? null : `https://${domain}`;
}

/** `/health` reports the commit that runs; a tree without git has none. */
function commitTag(): string[] {
  try {
    const git = (...args: string[]) =>
      execFileSync("git", args, { cwd: PROJECT, encoding: "utf8", stdio: "pipe" }).trim();
    const changed = git("status", "--porcelain", "--untracked-files=no") === "" ? "" : "-changed";
    return ["--tag", git("rev-parse", "--short=12", "HEAD") + changed];
  } catch {
    return [];
  }
}
