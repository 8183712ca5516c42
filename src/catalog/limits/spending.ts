import { limitsUnavailable, QuarryError, reasonOf, SpendingReached } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import { userPrincipal } from "../../core/principals.ts";
import { SECOND_MS } from "../../core/time.ts";
import type { SpendingLimit } from "../../db/catalog/limit-store.ts";
import { priceOf, type Prices } from "../../db/catalog/model-store.ts";
import type { ModelCall, ModelTokens, Spending, SpendingSubject } from "../../ports/spending.ts";
import type { Services } from "../../services.ts";

/** The ledger counts billionths of a dollar; prices are in dollars per million tokens. */
export const LEDGER_UNITS = { usd: 1_000_000_000, modelTokens: 1, calls: 1 };
const MICRO = 1_000_000;
const NANO_OF_MICRO = 1_000;

/** An address as limits name a person; empty for what is none. */
export const personId = (address: string) => userPrincipal(address)?.slice("user:".length) ?? "";
export const billPerson = ({ spending }: Pick<Services, "spending">, address: string) =>
  spending.bill([{ kind: "person", id: personId(address) }]);

type Parts = Pick<Services, "db" | "now" | "log" | "runInBackground" | "recentLookups" | "ledger">;

/** @param callers who calls; added by `bill` as soon as it is known */
export function spendingOf(
  parts: () => Parts,
  callers: SpendingSubject[] = [],
  own: SpendingSubject[] = [],
): Spending {
  const reserve: Spending["reserve"] = async (call, begins = false) => {
    const { db, now, log, runInBackground, recentLookups, ledger } = parts();
    // Without a caller, files are indexed, which may have waited for a limit that is raised now.
    const withinMs = callers.length === 0 ? SECOND_MS : undefined;
    const { limits, prices } = await recentLookups.limits.current(db, now, withinMs);
    const applying = limits.filter((limit) => isLimitOf([...callers, ...own], limit));
    if (applying.length === 0) return { isLimited: false, settle: () => {} };
    const most = call.maxTokens();
    const charges = applying.map(({ id: limitId, amount, unit, period }) => ({
      limitId,
      period,
      unit,
      amount: Math.floor(amount * LEDGER_UNITS[unit]),
      cost: unit === "calls" ? Number(begins) : costIn(unit, most, call, prices),
      isHeld: begins === (unit === "calls"),
    }));
    const id = newId(now());
    const costing = charges.filter(({ cost }) => cost > 0);
    const refusal = costing.length === 0 ? null : await ledger.reserve(id, costing).catch(refuse);
    if (refusal !== null) {
      const seconds = Math.ceil((refusal.resetsAt - now()) / SECOND_MS);
      throw new SpendingReached(refusal.isFull, Math.max(1, seconds));
    }
    let open = costing.filter(({ isHeld }) => isHeld);
    const settle = (tokens: ModelTokens | null) => {
      const costs = open.splice(0).map(({ limitId, unit }) => {
        return [limitId, tokens && costIn(unit, tokens, call, prices)] as const;
      });
      if (costs.length === 0) return;
      const settling = ledger.settle(id, Object.fromEntries(costs)).catch((thrown: unknown) => {
        log.warn("spending not settled", { reason: reasonOf(thrown) });
      });
      runInBackground(settling);
    };
    return { isLimited: open.length > 0, settle };
  };
  const withSubject = (subject: SpendingSubject) => spendingOf(parts, callers, [...own, subject]);
  return {
    bill: (subjects) => void callers.push(...subjects),
    withSubject,
    reserve,
  };
}

/** A ledger that does not answer refuses the call. */
function refuse(thrown: unknown): never {
  throw thrown instanceof QuarryError ? thrown : limitsUnavailable("Spending limits");
}

const isLimitOf = (subjects: SpendingSubject[], { subjectKind, subjectId }: SpendingLimit) =>
  subjectKind === "service" ||
  subjects.some(({ kind, id }) => kind === subjectKind && id === subjectId);

/** Rounded up. A model without a price in dollars costs none. */
function costIn(
  unit: SpendingLimit["unit"],
  { input, output }: ModelTokens,
  { kind, model }: ModelCall,
  prices: Prices,
): number {
  if (unit !== "usd") return unit === "calls" ? 0 : input + output;
  const { inputPrice = 0, outputPrice = 0 } = priceOf(prices, kind, model) ?? {};
  const toMicro = (price: number) => Math.round(price * MICRO);
  return Math.ceil((input * toMicro(inputPrice) + output * toMicro(outputPrice)) / NANO_OF_MICRO);
}
