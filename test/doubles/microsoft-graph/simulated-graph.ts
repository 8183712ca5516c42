import type { Dice } from "../../support/dice.ts";
import type { SimulatedDrive } from "../../support/simulated-weeks.ts";
import type { DriveDouble } from "./drive-double.ts";
import type { GraphDouble } from "./graph-double.ts";
import { applyStep, held } from "./random-changes.ts";

const KINDS = "file file file folder edit edit edit touch rename rename move move delete".split(
  " ",
);
/** A removal of more than 20 files at once is another matter: it waits for confirmation. */
const REMOVED_AT_MOST = 3;
const NUMBERS = 100_000;

type Notified = { value: { subscriptionId: string; clientState: string }[] };

/** A library as a simulation drives it. Every text holds the word that is searched for. */
export function simulatedGraph(graph: GraphDouble, drive: DriveDouble): SimulatedDrive {
  const change = (dice: Dice): void => {
    const kind = KINDS[dice.roll(KINDS.length)] ?? "file";
    const [pick, other] = [dice.roll(NUMBERS), dice.roll(NUMBERS)];
    const items = [...drive.items.values()].filter((item) => !item.deleted && item.kind !== "root");
    const target = items[pick % Math.max(1, items.length)];
    const isLarge = target !== undefined && filesBelow(drive, target.id) > REMOVED_AT_MOST;
    if (kind !== "delete" || !isLarge) applyStep(drive, { kind, pick, other });
  };
  const trouble = (dice: Dice): void => {
    const kind = dice.roll(4);
    const headers = { "retry-after": "2" };
    if (kind === 0) graph.fail({ path: /v1.0/, status: 429, headers });
    if (kind === 1) graph.fail({ path: /v1.0|download/, status: 503, times: 2 });
    if (kind === 2) graph.entra.expireTokens();
    if (kind === 3) drive.expireLinks();
  };
  return {
    network: graph.network,
    change,
    trouble,
    held: () =>
      new Map([...held(drive)].map(([id, { path, content }]) => [id, { path, text: content }])),
    plainPath: (path, id) => path.replace(` (${id})`, ""),
    watches: () => graph.subscriptions.live().length,
    notificationOf({ body }) {
      const [told] = (JSON.parse(body) as Notified).value;
      const { subscriptionId = "", clientState = "" } = told ?? {};
      return { watchId: subscriptionId, token: clientState, resourceId: null, event: "changed" };
    },
  };
}

function filesBelow(drive: DriveDouble, id: string): number {
  return drive
    .childrenOf(id)
    .reduce(
      (sum, { id: child, kind }) => sum + (kind === "folder" ? filesBelow(drive, child) : 1),
      0,
    );
}
