import { z } from "zod";

import { conflict, invalidField, requireValid } from "../../core/errors.ts";
import { SECOND_MS } from "../../core/time.ts";
import { findSubjects, limitColumns, listLimits } from "../../db/catalog/limit-store.ts";
import { setAmount, unpricedModels, upsertLimit } from "../../db/catalog/limit-store.ts";
import { releaseLimited } from "../../db/files/pending-files.ts";
import type { Services } from "../../services.ts";
import { LEDGER_UNITS, personId } from "./spending.ts";

const MAX_LIMITS = 1_000;
const MAX_AMOUNT = 1_000_000_000_000;
const { subjectKind, unit, period } = limitColumns;

export const newLimit = z.object({
  subject: z.object({
    kind: z.enum(subjectKind.enumValues).meta({ label: "Applies to", isHalf: true }),
    id: z.string().trim().min(1).optional().meta({
      label: "Which one",
      hint: "Identifier of the inference or agent, name of the token, address of the person.",
      isHalf: true,
    }),
  }),
  amount: z.number().min(0).max(MAX_AMOUNT).meta({ label: "Amount", isHalf: true }),
  unit: z.enum(unit.enumValues).meta({
    label: "Unit",
    isHalf: true,
    choices: { usd: "US dollars", modelTokens: "model tokens", calls: "inference and agent calls" },
  }),
  period: z.enum(period.enumValues).meta({ label: "Period (UTC)" }),
});
type NewLimit = z.output<typeof newLimit>;
type LimitServices = Pick<Services, "db" | "now" | "runInBackground">;

/** A limit of the same subject, unit and period gets the amount. @throws QuarryError `invalid` */
export async function putLimit(
  services: LimitServices,
  { subject, ...terms }: NewLimit,
  id: string,
) {
  const { db, now } = services;
  const subjectId = await subjectIdOf(db, subject);
  const limit = { id, ...terms, subjectKind: subject.kind, subjectId, createdAt: now() };
  const key = await upsertLimit(db, limit, MAX_LIMITS);
  if (key === null) throw conflict(`There are ${MAX_LIMITS} limits, which are all that fit`);
  releaseFiles(services);
  return key;
}

async function subjectIdOf(db: Services["db"], { kind, id = "" }: NewLimit["subject"]) {
  if ((kind === "service") !== (id === ""))
    throw invalidField("subject.id", id === "" ? "is required" : "must be left out");
  const person = personId(id);
  if (kind === "service" || (kind === "person" && person.includes("@"))) return person;
  const [subject = null, namesake] = kind === "person" ? [] : await findSubjects(db, kind, id);
  if (namesake !== undefined)
    throw invalidField("subject.id", `: several tokens are called ${id}; use an id`);
  return requireValid(subject, "subject.id", `: there is no ${kind} ${id}`).id;
}

/** Null removes the limit. */
export async function changeLimit(
  services: LimitServices,
  { id }: { id: string },
  amount: number | null,
): Promise<void> {
  await setAmount(services.db, id, amount);
  releaseFiles(services);
}

/** Files that wait for a limit are queued within a minute, when isolates know of the change. */
const releaseFiles = ({ db, now, runInBackground }: LimitServices) =>
  runInBackground(releaseLimited(db, now() + SECOND_MS));

/** The limits with what is spent of each, in its unit. @throws QuarryError `limits-unavailable` */
export async function readLimits({ db, ledger }: Pick<Services, "db" | "ledger">) {
  const limits = await listLimits(db);
  if (limits.length === 0) return [];
  const states = await ledger.state(
    limits.map(({ id: limitId, ...limit }) => ({ limitId, ...limit })),
  );
  const unpriced = await unpricedModels(db);
  return limits.map(({ subjectKind: kind, subjectId: id, identifier, name, ...limit }, at) => {
    const { used = 0, reserved = 0, refusedCost = 0, resetsAt = 0 } = states[at] ?? {};
    const scale = LEDGER_UNITS[limit.unit];
    const subject = {
      kind,
      ...(id && { id }),
      ...(identifier && { identifier }),
      ...(name && { name }),
    };
    return Object.assign(limit, {
      subject,
      used: used / scale,
      reserved: reserved / scale,
      refusedCost: refusedCost / scale,
      resetsAt,
      unpriced: limit.unit === "usd" ? unpriced : [],
    });
  });
}
export type SpentLimit = Awaited<ReturnType<typeof readLimits>>[number];
