import type { Dice } from "../../support/dice.ts";
import type { SimulatedDrive } from "../../support/simulated-weeks.ts";
import type { DriveDouble } from "./drive-double.ts";
import type { GraphDouble } from "./graph-double.ts";
import { applyStep, currentFiles } from "./random-changes.ts";

const KINDS = "file file file folder edit edit edit touch rename rename move move delete".split(
  " ",
);
/** A removal of more than 20 files at once is another matter: it waits for confirmation. */
const MAX_REMOVED = 3;
const NUMBERS = 100_000;
const DAY_MS = 86_400_000;

const MAX_LIBRARIES = 4;
const LIBRARY_CHANCE = 0.02;

type Site = ReturnType<GraphDouble["site"]>;

/**
 * A whole site as a simulation drives it: changes in all its libraries, and libraries that come.
 * Every text holds the word that is searched for. `large`: a folder that stays in its library.
 */
export function simulatedGraph(
  graph: GraphDouble,
  site: Site,
  large: { folder: string; places: [string, ...string[]] },
): SimulatedDrive {
  const stays = new Set([large.folder, ...large.places]);
  /** Libraries are watched from the day on after they came. */
  const watchedFrom = new Map(site.drives.map(({ id }) => [id, 0]));
  const pickDrive = (dice: Dice) => site.drives[dice.roll(site.drives.length)] ?? site.library;

  const change = (dice: Dice): void => {
    if (site.drives.length < MAX_LIBRARIES && dice.chance(LIBRARY_CHANCE)) {
      const added = graph.library(site, `Library ${site.drives.length}`);
      watchedFrom.set(added.id, graph.now() + DAY_MS);
      added.pageSize = site.library.pageSize;
      added.file(added.root, "first.txt", "A note, the first.");
      return;
    }
    const drive = pickDrive(dice);
    const kind = KINDS[dice.roll(KINDS.length)] ?? "file";
    const [pick, variant] = [dice.roll(NUMBERS), dice.roll(NUMBERS)];
    const items = [...drive.items.values()].filter((item) => !item.deleted && item.kind !== "root");
    const target = items[pick % Math.max(1, items.length)];
    if (target !== undefined && stays.has(target.id) && kind === "move") return;
    const isLarge =
      kind === "delete" && target !== undefined && filesBelow(drive, target.id) > MAX_REMOVED;
    if (!isLarge) applyStep(drive, { kind, pick, variant });
  };
  const trouble = (dice: Dice): void => {
    const kind = dice.roll(4);
    const headers = { "retry-after": "2" };
    if (kind === 0) graph.fail({ path: /v1.0/, status: 429, headers });
    if (kind === 1) graph.fail({ path: /v1.0|download/, status: 503, times: 2 });
    if (kind === 2) graph.entra.expireTokens();
    if (kind === 3) pickDrive(dice).expireLinks();
  };
  return {
    network: graph.network,
    change,
    trouble,
    moveLargeFolder(dice) {
      const name = `Large ${dice.roll(NUMBERS)}`;
      const parent = dice.pick(large.places);
      site.library.change(large.folder, dice.chance(0.5) ? { name } : { parent, name });
    },
    expectedFiles: () => new Map(site.drives.flatMap(heldIn)),
    plainPath: (path, id) => path.replace(` (${id})`, ""),
    isWatched() {
      const watched = new Set(graph.subscriptions.live().map(({ driveId }) => driveId));
      return [...watchedFrom].every(([id, from]) => from >= graph.now() || watched.has(id));
    },
    reachWith(call) {
      graph.subscriptions.reach = call;
    },
  };
}

const heldIn = (drive: DriveDouble) =>
  [...currentFiles(drive)].map(
    ([id, { path, content }]) => [id, { path: `${drive.name}/${path}`, text: content }] as const,
  );

function filesBelow(drive: DriveDouble, id: string): number {
  return drive
    .childrenOf(id)
    .reduce(
      (sum, { id: child, kind }) => sum + (kind === "folder" ? filesBelow(drive, child) : 1),
      0,
    );
}
