import { isoTime } from "../../core/time.ts";
import { insertionOfEvent } from "../../db/catalog/event-store.ts";
import { listLimits } from "../../db/catalog/limit-store.ts";
import { runBatch } from "../../db/sql.ts";
import type { Services } from "../../services.ts";

/** Percent of a limit that are reported, once in a period each. */
export const SHARES = [80, 100];

/** Reports that so much of a limit is used; 100: or that a call was refused from 80 % on. */
export async function reportPassedLimit(
  { db, log, now }: Pick<Services, "db" | "log" | "now">,
  passing: { limitId: string; share: number; resetsAt: number },
): Promise<void> {
  log.warn("spending limit", passing);
  const { limitId: id, share, resetsAt } = passing;
  const limit = (await listLimits(db)).find((each) => each.id === id);
  if (limit === undefined) return;
  const { amount, unit, period, subjectKind: kind, subjectId, identifier, name } = limit;
  const subject = { id: subjectId, ...(identifier && { identifier }), ...(name && { name }) };
  const subjectFields = kind === "token" || kind === "inference" ? { [kind]: subject } : {};
  const data = {
    limit: {
      id,
      name: [amount, unit, "a", period, "for", kind, name ?? subjectId].join(" ").trim(),
    },
    ...subjectFields,
    percent: share,
    resetsAt: isoTime(resetsAt),
  };
  const type = share < 100 ? "limit.warning" : "limit.reached";
  await runBatch(db, [insertionOfEvent({ type, at: now(), data })]);
}
