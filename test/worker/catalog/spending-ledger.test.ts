import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { array, assert, asyncProperty, constantFrom, integer, nat, record } from "fast-check";
import { expect, test, vi } from "vitest";

import { newId } from "../../../src/core/ids.ts";
import { SEED } from "../../support/seed.ts";

const ledger = () => env.SPENDING_LEDGER.getByName("ledger");

const stateOf = async (limitId: string) => (await ledger().state([{ limitId, period: "day" }]))[0];

test("a crash between reservation and settlement is charged after ten minutes", async () => {
  const id = "crashed";
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2100-03-01T12:00:00Z") });
  const charge = { limitId: id, amount: 10, period: "day" as const, cost: 1, isHeld: true };
  for (const call of ["a", "b", "c"]) expect(await ledger().reserve(call, [charge])).toBeNull();
  await ledger().settle("c", { [id]: 0 });
  await evictDurableObject(ledger());
  expect(await stateOf(id)).toMatchObject({ used: 0, reserved: 2 });
  vi.setSystemTime(new Date("2100-03-01T12:10:00Z"));
  expect(await stateOf(id)).toMatchObject({ used: 2, reserved: 0 });
  await ledger().settle("a", { [id]: 0 });
  expect(await stateOf(id)).toMatchObject({ used: 2, reserved: 0 });
  vi.setSystemTime(new Date("2100-03-02T00:00:00Z"));
  const tomorrow = { used: 0, reserved: 0, resetsAt: Date.UTC(2100, 2, 3) };
  expect(await stateOf(id)).toMatchObject(tomorrow);
});

/** A plain model of the ledger, with two limits that apply to every call. */
class Bookkeeping {
  readonly amounts: Record<string, number>;
  readonly used: Record<string, number> = {};
  readonly pending = new Map<string, number>();

  constructor(amounts: Record<string, number>) {
    this.amounts = amounts;
    for (const id of Object.keys(amounts)) this.used[id] = 0;
  }

  get reserved(): number {
    return [...this.pending.values()].reduce((sum, cost) => sum + cost, 0);
  }

  reserve(call: string, cost: number): boolean {
    const fits = Object.entries(this.amounts).every(
      ([id, amount]) => (this.used[id] ?? 0) + this.reserved + cost <= amount,
    );
    if (fits) this.pending.set(call, cost);
    return fits;
  }

  /** Limits that are not named are charged as reserved. */
  settle(call: string, costs: Record<string, number | null>): void {
    for (const id of Object.keys(this.amounts)) {
      this.used[id] = (this.used[id] ?? 0) + (costs[id] ?? this.pending.get(call) ?? 0);
    }
    this.pending.delete(call);
  }
}

const STEP = record({
  does: constantFrom("reserve", "reserve", "reserve", "settle", "wait", "crash"),
  call: nat(9),
  cost: integer({ min: 1, max: 40 }),
});

test("whatever is reserved, settled and lost: never more than the limits", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  let runs = 0;
  const property = asyncProperty(array(STEP, { maxLength: 40 }), async (steps) => {
    vi.setSystemTime(new Date("2100-05-01T00:00:00Z"));
    const [narrow, wide] = [`narrow ${(runs += 1)}`, `wide ${runs}`];
    const books = new Bookkeeping({ [narrow]: 100, [wide]: 130 });
    const does = {
      reserve: async (id: string, cost: number) => {
        if (books.pending.has(id)) return;
        const charges = Object.entries(books.amounts).map(([limitId, amount]) => {
          return { limitId, amount, period: "month" as const, cost, isHeld: true };
        });
        expect((await ledger().reserve(id, charges)) === null).toBe(books.reserve(id, cost));
      },
      settle: async (id: string, cost: number) => {
        const costs = { [narrow]: Math.min(cost, books.pending.get(id) ?? 0), [wide]: null };
        await ledger().settle(id, costs);
        books.settle(id, books.pending.has(id) ? costs : { [narrow]: 0, [wide]: 0 });
      },
      wait: async () => {
        vi.setSystemTime(Date.now() + 10 * 60_000);
        for (const id of books.pending.keys()) books.settle(id, { reported: null });
      },
      crash: () => evictDurableObject(ledger()),
    };
    for (const step of steps) {
      await does[step.does](`${runs} ${step.call}`, step.cost);
      for (const [limitId, amount] of Object.entries(books.amounts)) {
        const [state] = await ledger().state([{ limitId, period: "month" }]);
        const { used = 0, reserved = 0 } = state ?? {};
        expect({ used, reserved }).toEqual({ used: books.used[limitId], reserved: books.reserved });
        expect(used + reserved).toBeLessThanOrEqual(amount);
      }
    }
  });
  await assert(property, { numRuns: 30, seed: SEED });
});

test("80 % and 100 % are reported once in a period, a raised limit included", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2100-08-01T12:00:00Z") });
  const lines: string[] = [];
  vi.spyOn(console, "warn").mockImplementation((line: string) => void lines.push(line));
  const charge = { limitId: "reported", period: "day" as const, cost: 1, isHeld: true };
  const spend = async (amount: number, times: number) => {
    for (let time = 0; time < times; time++) {
      const id = newId(Date.now());
      if ((await ledger().reserve(id, [{ ...charge, amount }])) === null) {
        await ledger().settle(id, { reported: null });
      }
    }
    const reports = lines.filter((line) => line.includes('"limitId":"reported"'));
    return reports.map((line) => (JSON.parse(line) as { share: number }).share);
  };
  expect(await spend(10, 7)).toEqual([]);
  expect(await spend(10, 1)).toEqual([80]);
  expect(await spend(10, 4)).toEqual([80, 100]);
  expect(await spend(20, 12)).toEqual([80, 100]);
  vi.setSystemTime(new Date("2100-08-02T12:00:00Z"));
  expect(await spend(1, 1)).toEqual([80, 100, 80, 100]);
});

test("one large call that is refused reports nothing while little is used", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2100-09-01T12:00:00Z") });
  const lines: string[] = [];
  vi.spyOn(console, "warn").mockImplementation((line: string) => void lines.push(line));
  const limit = { limitId: "large", amount: 100, period: "day" as const, isHeld: true };
  const refusalOf = async (cost: number) => {
    const refusal = await ledger().reserve(newId(Date.now()), [{ ...limit, cost }]);
    const shares = lines.filter((line) => line.includes('"limitId":"large"'));
    const shared = shares.map((line) => (JSON.parse(line) as { share: number }).share);
    return [refusal?.isFull, shared];
  };
  expect(await refusalOf(10)).toEqual([undefined, []]);
  vi.setSystemTime(new Date("2100-09-01T12:10:00Z"));
  expect(await refusalOf(95)).toEqual([true, []]);
  expect(await refusalOf(71)).toEqual([undefined, []]);
  vi.setSystemTime(new Date("2100-09-01T12:20:00Z"));
  // At 81 %, the next call no longer fits.
  expect(await refusalOf(20)).toEqual([true, [80, 100]]);
});
