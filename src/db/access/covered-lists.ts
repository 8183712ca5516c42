import type { Reads } from "../client.ts";
import { oneOf } from "../columns.ts";
import { LISTED_RAG, type ListedRag } from "../records.ts";
import { agents, inferences } from "../schema/index.ts";
import { columnsOf, computed, pick, select, type Row } from "../select.ts";
import { runBatch, sql, type Selection } from "../sql.ts";
import { principalQuery } from "./principal-lookup.ts";
import type { Credential, StoredPrincipal } from "./principal-lookup.ts";
import { IN_ORDER, permitted } from "./public-lists.ts";

const INFERENCE = select({
  kind: computed(oneOf(["inference"]), "'inference'"),
  ...pick(columnsOf(inferences, "m"), "name", "identifier", "createdAt", "nativeRag"),
});
const AGENT = select({
  kind: computed(oneOf(["agent"]), "'agent'"),
  ...pick(columnsOf(agents, "m"), "name", "identifier", "createdAt", "description"),
});

/** What a caller may run: an inference or an agent. */
export type CoveredRunner = Row<typeof INFERENCE> | Row<typeof AGENT>;

/** Which identifiers are listed: both ends are left out. */
type Between = { above: string; below: string };

/** What stands behind every identifier (core/ids.ts). */
const END = "~";
export const ALL_IDENTIFIERS: Between = { above: "", below: END };
export const identifiersAfter = (above: string): Between => ({ above, below: END });
/** Without `beginning` itself. */
export const identifiersFrom = (beginning: string): Between => {
  return { above: beginning, below: beginning + END };
};

/** A slice of inferences, then agents, by identifier; null: none of that kind. */
export type RunnerSlice = {
  inferences: Between | null;
  agents: Between | null;
  /** Of both together. */
  limit: number;
};

/** The caller and what of a slice it may run, in one round trip. `hasMore`: the slice was cut. */
export async function listCoveredRunners(
  db: Reads,
  credential: Credential,
  slice: RunnerSlice,
): Promise<{ principal: StoredPrincipal | null; runners: CoveredRunner[]; hasMore: boolean }> {
  const { limit } = slice;
  const runnersOf = <Runner>(
    kind: "inference" | "agent",
    of: Selection<Runner>,
    between: Between | null,
  ) => {
    if (between === null) return [];
    const rest = sql`where m.identifier > ${between.above} and m.identifier < ${between.below}
      order by m.identifier limit ${limit + 1}`;
    return permitted(credential, kind, of, rest).map((one) => one.reading(of));
  };
  const [[principal = null], ...found] = await runBatch(db, [
    principalQuery(credential),
    ...runnersOf("inference", INFERENCE, slice.inferences),
    ...runnersOf("agent", AGENT, slice.agents),
  ]);
  const runners = found.flat();
  return { principal, runners: runners.slice(0, limit), hasMore: runners.length > limit };
}

/** The caller and the RAGs that it may search, by identifier, in one round trip. */
export async function listCoveredRags(
  db: Reads,
  credential: Credential,
): Promise<{ principal: StoredPrincipal | null; rags: ListedRag[] }> {
  const [[principal = null], ...lists] = await runBatch(db, [
    principalQuery(credential),
    ...permitted(credential, "rag", LISTED_RAG, IN_ORDER).map((one) => one.reading(LISTED_RAG)),
  ]);
  return { principal, rags: lists.flat() };
}
