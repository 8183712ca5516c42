import Table from "cli-table3";

import { timeClients, type Asking, type Timed } from "./timed-clients.ts";

export const ROUNDS = 5;
/** V8 compiles a whole service during its first thousand calls, a Worker of one file sooner. */
const WARM_UP_QUERIES = 900;
const CLIENTS = [1, 8];

type Side = "base" | "other";
type Contender = { name: string; asking: (client: number, body: string) => Asking };
type Sides = Record<Side, Contender>;
/** The rounds of one number of clients. */
type Rounds = Record<Side, Timed[]>;
export type Compared = ReturnType<typeof resultOf>;

/** Both in turn, and the other one first in every other round. */
async function timeInTurn(clients: number, bodies: string[], sides: Sides): Promise<Rounds> {
  const rounds: Rounds = { base: [], other: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const order: Side[] = round % 2 === 0 ? ["base", "other"] : ["other", "base"];
    for (const side of order) {
      rounds[side].push(await timeClients(clients, bodies, sides[side].asking));
    }
  }
  return rounds;
}

const medianOf = (values: number[]) =>
  values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const quantile = (sorted: number[], share: number) =>
  sorted[Math.floor(sorted.length * share)] ?? 0;
const rounded = (value: number) => Number(value.toFixed(2));

function resultOf(clients: number, rounds: Rounds) {
  const of = (side: Side) => {
    const ms = rounds[side].flatMap((one) => one.ms).sort((a, b) => a - b);
    return {
      p50Ms: rounded(quantile(ms, 0.5)),
      p99Ms: rounded(quantile(ms, 0.99)),
      callsPerSecond: rounded(medianOf(rounds[side].map((one) => one.callsPerSecond))),
      bytes: rounds[side][0]?.bytes ?? 0,
    };
  };
  /** Of each round, so that what else the machine does hits both sides alike; then the median. */
  const ratio = (value: (one: Timed) => number) =>
    rounded(medianOf(rounds.other.map((one, at) => value(one) / value(rounds.base[at] ?? one))));
  return {
    clients,
    base: of("base"),
    other: of("other"),
    p50Ratio: ratio(({ ms }) => quantile(ms, 0.5)),
    callsRatio: ratio(({ callsPerSecond }) => callsPerSecond),
  };
}

function show(results: Compared[], { base, other }: Sides): void {
  const table = new Table({ head: ["clients", "", "p50 ms", "p99 ms", "calls/s", "bytes"] });
  for (const { clients, p50Ratio, callsRatio, ...measured } of results) {
    for (const [name, of] of [
      [base.name, measured.base] as const,
      [other.name, measured.other] as const,
    ]) {
      table.push([clients, name, of.p50Ms, of.p99Ms, of.callsPerSecond, of.bytes]);
    }
    table.push([clients, "ratio", p50Ratio, "", callsRatio, ""]);
  }
  console.log(table.toString());
}

/** Asks both sides the same, with one client and with eight, and prints the other's share. */
export async function compareInTurn(bodies: string[], sides: Sides): Promise<Compared[]> {
  const warmUp = Array.from(
    { length: WARM_UP_QUERIES },
    (_, at) => bodies[at % bodies.length] ?? "",
  );
  for (const { asking } of Object.values(sides)) await timeClients(2, warmUp, asking);
  const results: Compared[] = [];
  for (const clients of CLIENTS) {
    results.push(resultOf(clients, await timeInTurn(clients, bodies, sides)));
  }
  show(results, sides);
  return results;
}
