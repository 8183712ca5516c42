import { DurableObject } from "cloudflare:workers";

import { reportPassedLimit, SHARES } from "../catalog/limits/report-passed-limit.ts";
import { composeServices } from "../compose.ts";
import { attempt } from "../core/log.ts";
import { MINUTE_MS, periodEnd } from "../core/time.ts";
import type { Env } from "../env.ts";
import type { Charge, Refusal, SpendingLedger as LedgerPort, LimitUse } from "../ports/spending.ts";

/** A reservation that nobody settles is charged after this time. */
const LAPSE_MS = 10 * MINUTE_MS;
/** From this percentage on, a refusal says that the limit is reached; below, one call is large. */
const [NEARLY_USED = 0] = SHARES;

/**
 * `open`: reservations by id; `reported`: the highest share of the limit that was reported;
 * `refusedCost`: see `LimitUse`.
 */
type Counter = { amount: number; used: number; resetsAt: number; reported: number } & {
  open: Record<string, { cost: number; lapsesAt: number }>;
  refusedCost?: number;
};

const sumReserved = ({ open }: Counter) =>
  Object.values(open).reduce((sum, { cost }) => sum + cost, 0);

/**
 * The counters of all limits. One object, so that a call with several limits is one round trip, and
 * is reserved in all of them or in none. No await between reading and writing makes it exact, and an
 * answer leaves after what it says is on disk.
 */
export class SpendingLedger extends DurableObject<Env> implements LedgerPort {
  readonly #kv = this.ctx.storage.kv;
  /** Shares that are being reported. */
  readonly #reports = new Set<string>();

  async reserve(id: string, charges: Charge[]): Promise<Refusal | null> {
    const entries = charges.map((charge) => ({ ...charge, counter: this.#counter(charge) }));
    const refusals = entries.flatMap(({ limitId, amount, cost, counter }) => {
      if (counter.used + sumReserved(counter) + cost <= amount) return [];
      const isFull = counter.used + cost > amount;
      const isReached = isFull && counter.used * 100 >= amount * NEARLY_USED;
      if (isReached && counter.reported < 100) this.#save(limitId, counter, true);
      else if (isFull && !isReached && cost > (counter.refusedCost ?? 0))
        this.#save(limitId, { ...counter, refusedCost: cost });
      return [{ resetsAt: counter.resetsAt, isFull }];
    });
    // The limit that stays full for longest says when to come again.
    refusals.sort((a, b) => Number(b.isFull) - Number(a.isFull) || b.resetsAt - a.resetsAt);
    const [refusal = null] = refusals;
    for (const { limitId, cost, counter } of refusal
      ? []
      : entries.filter(({ isHeld }) => isHeld)) {
      counter.open[id] = { cost, lapsesAt: Date.now() + LAPSE_MS };
      this.#save(limitId, counter);
    }
    return refusal;
  }

  async settle(id: string, costs: Record<string, number | null>): Promise<void> {
    for (const [limitId, cost] of Object.entries(costs)) {
      const counter = this.#kv.get<Counter>(limitId);
      const reservation = counter?.open[id];
      if (counter === undefined || reservation === undefined) continue;
      delete counter.open[id];
      const isLapsed = reservation.lapsesAt <= Date.now();
      counter.used += (isLapsed ? null : cost) ?? reservation.cost;
      this.#save(limitId, counter);
    }
  }

  async state(limits: Pick<Charge, "limitId" | "period">[]): Promise<LimitUse[]> {
    const counters = limits.map((limit) => this.#counter({ ...limit, amount: 0 }));
    return counters.map((counter) => {
      const { used, resetsAt, refusedCost = 0 } = counter;
      return { used, reserved: sumReserved(counter), resetsAt, refusedCost };
    });
  }

  /** The counter of this period, in which lapsed reservations are charged. */
  #counter({ limitId, amount, period }: Omit<Charge, "cost" | "isHeld">): Counter {
    const now = Date.now();
    const counter = this.#kv.get<Counter>(limitId);
    if (counter === undefined || counter.resetsAt <= now)
      return { amount, resetsAt: periodEnd(period, now), used: 0, reported: 0, open: {} };
    for (const [id, { cost, lapsesAt }] of Object.entries(counter.open)) {
      if (lapsesAt > now) continue;
      delete counter.open[id];
      counter.used += cost;
    }
    return { ...counter, amount };
  }

  /** Each share is reported once in a period; what was not written is reported by the next call. */
  #save(limitId: string, counter: Counter, isReached = false): void {
    const { amount, used, resetsAt } = counter;
    const share = isReached ? 100 : (used / amount) * 100;
    this.#kv.put(limitId, counter);
    for (const percent of SHARES.filter((level) => counter.reported < level && level <= share)) {
      const report = `${limitId} ${resetsAt} ${percent}`;
      if (this.#reports.has(report)) continue;
      this.#reports.add(report);
      this.ctx.waitUntil(this.#report({ limitId, share: percent, resetsAt }, report));
    }
  }

  async #report(passing: { limitId: string; share: number; resetsAt: number }, report: string) {
    const services = composeServices(this.env, this.ctx);
    const isWritten = await attempt(services.log, "limit not reported", {}, () =>
      reportPassedLimit(services, passing),
    );
    this.#reports.delete(report);
    const counter = this.#kv.get<Counter>(passing.limitId);
    if (!isWritten || counter?.resetsAt !== passing.resetsAt) return;
    const reported = Math.max(counter.reported, passing.share);
    this.#kv.put(passing.limitId, { ...counter, reported });
  }
}
