/**
 * List prices in US dollars, Workers Paid plan, as the vendors' documentation had them when it was
 * read on 2026-11-21; `included` is a month's.
 */
type Price = { per: number; unit: number; included: number; source: string };

const MILLION = 1_000_000;
const BILLION = 1_000_000_000;
const docs = (path: string) => `https://developers.cloudflare.com/${path}`;
const price = (per: number, unit: number, included: number, path: string): Price => ({
  per,
  unit,
  included,
  source: docs(path),
});

export const PLAN_A_MONTH = 5;

const PRICES = {
  requests: price(0.3, MILLION, 10 * MILLION, "workers/platform/pricing/"),
  cpuMs: price(0.02, MILLION, 30 * MILLION, "workers/platform/pricing/"),
  logEvents: price(0.6, MILLION, 20 * MILLION, "workers/observability/logs/workers-logs/"),
  d1RowsRead: price(0.001, MILLION, 25 * BILLION, "d1/platform/pricing/"),
  d1RowsWritten: price(1, MILLION, 50 * MILLION, "d1/platform/pricing/"),
  d1Gigabytes: price(0.75, 1, 5, "d1/platform/pricing/"),
  objectCalls: price(0.15, MILLION, MILLION, "durable-objects/platform/pricing/"),
  objectGbSeconds: price(12.5, MILLION, 400_000, "durable-objects/platform/pricing/"),
  objectRowsRead: price(0.001, MILLION, 25 * BILLION, "durable-objects/platform/pricing/"),
  objectRowsWritten: price(1, MILLION, 50 * MILLION, "durable-objects/platform/pricing/"),
  objectGigabytes: price(0.2, 1, 5, "durable-objects/platform/pricing/"),
  queriedDimensions: price(0.01, MILLION, 50 * MILLION, "vectorize/platform/pricing/"),
  storedDimensions: price(0.05, 100 * MILLION, 10 * MILLION, "vectorize/platform/pricing/"),
  embeddedTokens: price(0.012, MILLION, 0, "workers-ai/platform/pricing/"),
  rerankedTokens: price(0.003, MILLION, 0, "workers-ai/platform/pricing/"),
  queueOperations: price(0.4, MILLION, MILLION, "queues/platform/pricing/"),
  r2Gigabytes: price(0.015, 1, 10, "r2/pricing/"),
  r2Writes: price(4.5, MILLION, MILLION, "r2/pricing/"),
  r2Reads: price(0.36, MILLION, 10 * MILLION, "r2/pricing/"),
} as const;

type Item = keyof typeof PRICES;
export type Amounts = Partial<Record<Item, number>>;

/** Cost of a month after the allowances. */
export function bill(amounts: Amounts): number {
  const used = Object.entries(amounts).map(([item, amount]): [string, number] => [
    item,
    Math.max(0, amount - PRICES[item as Item].included),
  ]);
  return marginal(Object.fromEntries(used));
}

/** Cost of one more event, without allowances. */
export function marginal(amounts: Amounts): number {
  return Object.entries(amounts).reduce((sum, [item, amount]) => {
    const { per, unit } = PRICES[item as Item];
    return sum + (amount / unit) * per;
  }, 0);
}

/**
 * Pinecone serverless, Standard plan in AWS us-east-1 (https://www.pinecone.io/pricing/, and
 * https://docs.pinecone.io/guides/manage-cost/understanding-cost for what a query uses): a query
 * reads a unit for each GB of its namespace, a quarter at least. Vectors and their text alone.
 */
export const PINECONE = {
  leastAMonth: 50,
  gigabyteMonth: 0.33,
  millionReadUnits: 16,
  leastUnitsAQuery: 0.25,
} as const;
