import Table from "cli-table3";

import type { Operation } from "../support/counted-bindings.ts";
import { measureChains } from "./support/scenarios.ts";
import type { Chains } from "./support/scenarios.ts";

/**
 * Injected distances, ms there and back. The data (D1's primary, the index objects, Vectorize,
 * models) is in Western Europe; a caller reaches the nearest location in 10 ms.
 */
const TO_NEAREST_MS = 10;
const NEAR_MS = 2;
const CALLERS: [continent: string, toDataMs: number][] = [
  ["Europe", 15],
  ["North America", 90],
  ["Asia", 170],
];

/** What each answers in, once it is reached, ms. */
const SERVICE_MS: Record<string, number> = {
  "RATE_WINDOW take": 1,
  "D1 batch": 2,
  "RAG_INDEX hydrate": 4,
  "RAG_INDEX search": 12,
  "VECTORIZE query": 30,
  "AI run": 25,
};
const RERANKING_MS = 80;
const CHAT_MS = 900;

type Step = { name: string; after: number[]; serviceMs: number };

/** The counted operations as steps; the second model call reranks or answers. */
function stepsOf(kind: keyof Chains, operations: Operation[]): Step[] {
  let modelCalls = 0;
  return operations.map(({ binding, name, after }): Step => {
    const named = `${binding} ${name}`;
    if (binding === "AI") modelCalls += 1;
    const later = kind === "inference" ? CHAT_MS : RERANKING_MS;
    const serviceMs = binding === "AI" && modelCalls > 1 ? later : (SERVICE_MS[named] ?? NEAR_MS);
    return { name: named, after, serviceMs };
  });
}

/** When the last step has ended, each beginning when all that it waits for have. */
function criticalPathMs(steps: Step[], distanceTo: (name: string) => number): number {
  const ends: number[] = [];
  for (const { name, after, serviceMs } of steps) {
    const start = Math.max(0, ...after.map((at) => ends[at] ?? 0));
    ends.push(start + distanceTo(name) + serviceMs);
  }
  return Math.max(0, ...ends);
}

/** The Worker where the caller is: the rate window is near, all else far. */
const besideCaller = (steps: Step[], toDataMs: number) =>
  TO_NEAREST_MS +
  criticalPathMs(steps, (name) => (name.startsWith("RATE_WINDOW") ? NEAR_MS : toDataMs));

/** The Worker where the data is: one way there for the call itself, every hop near. */
const besideData = (steps: Step[], toDataMs: number) =>
  TO_NEAREST_MS + toDataMs + criticalPathMs(steps, () => NEAR_MS);

/**
 * `npm run bench -- placement`: the time that callers on three continents see, from the hops that
 * are counted at the bindings and the distances above, with the Worker beside the caller and
 * beside the data.
 */
export async function run(): Promise<Record<string, unknown>> {
  const chains = await measureChains();
  const kinds = Object.entries(chains) as [keyof Chains, Operation[]][];
  const cases = kinds.map(([kind, operations]): [string, Step[]] => [
    kind,
    stepsOf(kind, operations),
  ]);
  const head = ["ms", ...CALLERS.flatMap(([name]) => [`${name}\nbeside caller`, `beside data`])];
  const table = new Table({ head, wordWrap: true, colWidths: [40] });
  const results = cases.map(([what, steps]) => {
    const times = CALLERS.map(([continent, toDataMs]) => ({
      continent,
      besideCaller: besideCaller(steps, toDataMs),
      besideData: besideData(steps, toDataMs),
    }));
    table.push([what, ...times.flatMap((one) => [one.besideCaller, one.besideData])]);
    return { what, times };
  });
  console.log(table.toString());
  return { toNearestMs: TO_NEAREST_MS, nearMs: NEAR_MS, callers: CALLERS, results };
}
