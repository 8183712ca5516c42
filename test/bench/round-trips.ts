import { capacityTable } from "./support/capacity-report.ts";
import { measureScenarios } from "./support/scenarios.ts";

const BARS: Record<string, number> = {
  "GET /api/rags": 3,
  "a retrieval, the first": 4,
  "a retrieval, of 100": 3,
  "a retrieval with reranking, of 10": 4,
  "an inference, the first": 5,
  "an inference, of 10": 4,
};

/**
 * `npm run bench -- round-trips`: what each thing that the service does asks the platform for,
 * counted at the bindings, over doubles of Vectorize and Workers AI; rows as D1 and the objects'
 * databases report them (of single reads by drizzle D1 reports none).
 */
export async function run(): Promise<Record<string, unknown>> {
  const measured = await measureScenarios();
  const { scenarios, chunksAFile, indexBytesAChunk } = measured;
  for (const { name, counts } of scenarios) {
    const rounded = Object.entries(counts).map(([what, count]) => `${what} ${+count.toFixed(1)}`);
    console.log(`${name}: ${rounded.join(", ")}`);
  }
  const over = scenarios.filter(({ name, counts }) => counts.rounds > (BARS[name] ?? Infinity));
  for (const { name, counts } of over) {
    console.error(`${name}: ${counts.rounds} round trips, the bar is ${BARS[name]}`);
    process.exitCode = 1;
  }
  const capacity = capacityTable(measured);
  console.table(capacity);
  return { scenarios, chunksAFile, indexBytesAChunk, capacity };
}
