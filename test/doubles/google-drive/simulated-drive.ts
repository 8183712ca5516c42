import type { Dice } from "../../support/dice.ts";
import type { SimulatedDrive } from "../../support/simulated-weeks.ts";
import type { GoogleDriveDouble } from "./google-drive-double.ts";
import { applyStep, currentFiles } from "./random-changes.ts";

const FOLDER = "application/vnd.google-apps.folder";
const KINDS =
  "file file file file folder edit edit edit rename rename move move bin restore restore unshare share share delete".split(
    " ",
  );
const REMOVES = new Set(["bin", "unshare", "delete", "move"]);
/** A removal of more than 20 files at once is another matter: it waits for confirmation. */
const MAX_REMOVED = 3;
const NUMBERS = 100_000;

/**
 * The double as a simulation drives it. Every text holds the word that is searched for. `large`: a
 * folder that stays beneath the root, and where it may lie there.
 */
export function simulatedDrive(
  drive: GoogleDriveDouble,
  large: { folder: string; places: [string, ...string[]] },
): SimulatedDrive {
  const stays = new Set([large.folder, ...large.places]);
  const change = (dice: Dice): void => {
    const kind = KINDS[dice.roll(KINDS.length)] ?? "file";
    const [pick, variant] = [dice.roll(NUMBERS), dice.roll(NUMBERS)];
    const items = [...drive.items.values()].filter(({ id }) => id !== drive.root);
    const target = items[pick % Math.max(1, items.length)];
    if (target !== undefined && stays.has(target.id) && REMOVES.has(kind)) return;
    const isLarge = target?.mimeType === FOLDER && filesBelow(drive, target.id) > MAX_REMOVED;
    if (!(REMOVES.has(kind) && kind !== "move" && isLarge))
      applyStep(drive, { kind, pick, variant });
  };
  const trouble = (dice: Dice): void => {
    const kind = dice.roll(4);
    const headers = { "retry-after": "2" };
    if (kind === 0) {
      drive.fail({ path: /files|changes/, status: 403, reason: "userRateLimitExceeded", headers });
    }
    if (kind === 1) drive.fail({ path: /files|changes/, status: 503, times: 2 });
    if (kind === 2) drive.account.expireTokens();
    if (kind === 3) drive.expireCursors();
  };
  return {
    network: drive.network,
    change,
    trouble,
    moveLargeFolder(dice) {
      const isRenamed = dice.chance(0.5);
      const name = `Large ${dice.roll(NUMBERS)}`;
      drive.change(
        large.folder,
        isRenamed ? { name } : { parents: [dice.pick(large.places)], name },
      );
    },
    expectedFiles: () =>
      new Map(
        [...currentFiles(drive)].map(([id, { path, item }]) => [id, { path, text: item.content }]),
      ),
    plainPath: (path, id) => path.replace(` (${id})`, ""),
    isWatched: () => drive.channels.live().length > 0,
  };
}

function filesBelow(drive: GoogleDriveDouble, id: string): number {
  return drive
    .childrenOf(id)
    .reduce((sum, child) => sum + (child.mimeType === FOLDER ? filesBelow(drive, child.id) : 1), 0);
}
