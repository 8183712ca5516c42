import { DurableObject } from "cloudflare:workers";

import { countCall, type CallCounters, type CallRecord } from "../core/calls/call-record.ts";
import { DAY_MS, SECOND_MS } from "../core/time.ts";
import type { Env, RequestRecords as RequestRecordsPort } from "../env.ts";

const SIZE_OF_ALL = 1_000;
/** Calls without a valid token among these: anybody could push out all others within seconds. */
const SIZE_OF_NOBODY = 500;
const SIZE_OF_TOKEN = 100;
/** The bound of a ring as JSON: a stored value has at most 2 MB, and a character at most two bytes. */
const MAX_CHARACTERS = 900_000;
const KEPT_MS = 7 * DAY_MS;
/** Calls share a write for so long, or until there are so many: each is billed. */
const WAIT_MS = 2 * SECOND_MS;
const MAX_WAITING = 500;
const COUNTERS = "counters";
const RINGS = "ring ";

/**
 * The request log of a deployment, a ring of all calls and one of each token, and the counters of
 * the metrics. A crash loses the calls of the last two seconds.
 */
export class RequestRecords extends DurableObject<Env> implements RequestRecordsPort {
  readonly #kv = this.ctx.storage.kv;
  readonly #counters = this.#kv.get<CallCounters>(COUNTERS) ?? {};
  #waiting: CallRecord[] = [];
  #isStored = true;

  constructor(context: DurableObjectState, env: Env) {
    super(context, env);
    void context.blockConcurrencyWhile(async () => {
      if ((await context.storage.getAlarm()) === null) await this.alarm();
    });
  }

  async add(calls: CallRecord[]): Promise<void> {
    for (const call of calls) countCall(this.#counters, call);
    // The panel's own calls are counted only.
    this.#waiting.push(...calls.filter(({ surface }) => surface !== "panel"));
    this.#storeSoon();
    if (this.#waiting.length >= MAX_WAITING) this.#store();
  }

  async count(series: string): Promise<void> {
    this.#counters[series] = (this.#counters[series] ?? 0) + 1;
    this.#storeSoon();
  }

  async list(tokenId: string | null): Promise<CallRecord[]> {
    this.#store();
    return this.#readRing(RINGS + (tokenId ?? "")).sort((a, b) => b.time - a.time);
  }

  /** Only what is stored: to a reader, counters that fall have begun at 0 again. */
  async counters(): Promise<CallCounters> {
    this.#store();
    return this.#counters;
  }

  /** Once a day, calls that are too old are deleted. */
  override async alarm(): Promise<void> {
    await this.ctx.storage.setAlarm(Date.now() + DAY_MS);
    const rings = Array.from(this.#kv.list({ prefix: RINGS }), ([ring]) => ring);
    for (const ring of rings) this.#append(ring, []);
  }

  #storeSoon(): void {
    if (this.#isStored) void scheduler.wait(WAIT_MS).then(() => this.#store());
    this.#isStored = false;
  }

  #store(): void {
    if (this.#isStored) return;
    this.#isStored = true;
    const calls = this.#waiting.splice(0);
    this.ctx.storage.transactionSync(() => {
      for (const [token, own] of Map.groupBy(calls, (call) => call.token?.id ?? "")) {
        if (token !== "") this.#append(RINGS + token, own);
      }
      this.#append(RINGS, calls);
      this.#kv.put(COUNTERS, this.#counters);
    });
  }

  /** The later record of a streamed call takes the place of the first. */
  #append(ring: string, calls: CallRecord[]): void {
    const byId = new Map([...this.#readRing(ring), ...calls].map((call) => [call.id, call]));
    const last =
      ring === RINGS ? lastOfAll([...byId.values()]) : [...byId.values()].slice(-SIZE_OF_TOKEN);
    while (JSON.stringify(last).length > MAX_CHARACTERS) last.splice(0, SIZE_OF_TOKEN);
    if (last.length === 0) this.#kv.delete(ring);
    else this.#kv.put(ring, last);
  }

  #readRing(ring: string): CallRecord[] {
    const since = Date.now() - KEPT_MS;
    return (this.#kv.get<CallRecord[]>(ring) ?? []).filter(({ time }) => time >= since);
  }
}

function lastOfAll(calls: CallRecord[]): CallRecord[] {
  const ofNobody = calls.filter(({ token }) => token === null);
  const excess = new Set(ofNobody.slice(0, -SIZE_OF_NOBODY));
  return calls.filter((call) => !excess.has(call)).slice(-SIZE_OF_ALL);
}
