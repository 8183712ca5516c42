import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PROJECT = join(import.meta.dirname, "../..");
/** Time of the best run; the platform allows a second. */
export const STARTUP_BAR_MS = 200;
const MS_A_SECOND = 1_000;
const IDLE = "(idle)";

type Node = { id: number; callFrame: { functionName: string; url: string; lineNumber: number } };
type Profile = { nodes: Node[]; samples: number[]; timeDeltas: number[] };

/** Milliseconds of the processor by what ran; idle time left out. */
export type StartupParts = Map<string, number>;

export const sumOf = (parts: StartupParts) =>
  [...parts.values()].reduce((sum, milliseconds) => sum + milliseconds, 0);

function partsOf({ nodes, samples, timeDeltas }: Profile): StartupParts {
  const names = new Map(
    nodes.map(({ id, callFrame: { functionName, url } }) => {
      const place = url.split("/").at(-1) ?? "";
      return [id, functionName === "" ? `(module) ${place}` : functionName] as const;
    }),
  );
  const parts: StartupParts = new Map();
  for (const [at, id] of samples.entries()) {
    const name = names.get(id) ?? "?";
    if (name === IDLE) continue;
    parts.set(name, (parts.get(name) ?? 0) + (timeDeltas[at] ?? 0) / MS_A_SECOND);
  }
  return parts;
}

/** One start of the production bundle, by wrangler's own profile of it in workerd. */
function profileOnce(folder: string): StartupParts {
  const outfile = join(folder, "startup.cpuprofile");
  const args = ["check", "startup", "--outfile", outfile, "--args=--env production"];
  const { status, stdout, stderr } = spawnSync("wrangler", args, {
    cwd: PROJECT,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`wrangler check startup: ${stdout}${stderr}`);
  return partsOf(JSON.parse(readFileSync(outfile, "utf8")) as Profile);
}

/**
 * Starts, at most so many and until `isEnough` says so, the quickest first: everything else that
 * goes on on the machine adds to a start and nothing takes from it.
 */
export function profileStarts(
  atMost: number,
  isEnough: (parts: StartupParts) => boolean,
): StartupParts[] {
  const folder = mkdtempSync(join(tmpdir(), "quarry-startup-"));
  try {
    const runs: StartupParts[] = [];
    while (runs.length < atMost && !runs.some(isEnough)) runs.push(profileOnce(folder));
    return runs.sort((a, b) => sumOf(a) - sumOf(b));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
