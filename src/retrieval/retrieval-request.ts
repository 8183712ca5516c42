import { readersOf } from "../access/readers.ts";
import { busy } from "../core/errors.ts";
import { foldedLength } from "../core/normal-form.ts";
import { trimEnd } from "../core/trim.ts";
import { MAX_UNSENT } from "../db/access/member-store.ts";
import type { FileCondition, MetadataFilter } from "../ports/file-condition.ts";
import { BUILT_IN_MODELS } from "../ports/models.ts";
import type { Restriction } from "../ports/rag-index.ts";
import { storedFormsOf } from "../sources/file-names.ts";
import type { SearchedRag } from "./search-mode.ts";

export type RetrievalTarget = { rag: SearchedRag; restriction: Restriction };

export type RetrievalRequest = {
  targets: RetrievalTarget[];
  /** 1 to 10, none blank; searched one by one. */
  queries: string[];
  /** 1 to 100, over all targets together. */
  topK: number;
  useReranking: boolean;
  candidateMultiplier: number;
  similarityThreshold?: number | null | undefined;
  includeDuplicates: boolean;
};

/** ISO 8601 days (their first instant) or times. */
export type ModifiedRange = {
  /** Changed then or later. */
  modifiedAfter?: string | undefined;
  /** Changed earlier. */
  modifiedBefore?: string | undefined;
};

const compareModified = (relation: "<" | "<=" | ">=", value: number): FileCondition => ({
  compare: { of: "modifiedAt", test: "order", kind: "time", relation, value },
});

/** The last change was at this time, ms: equal times may be written in several ways. */
export const modifiedAtCondition = (ms: number): FileCondition => ({
  all: [compareModified(">=", ms), compareModified("<=", ms)],
});

/** Undefined: whenever it was. */
export function modifiedWithinCondition({
  modifiedAfter: after,
  modifiedBefore: before,
}: ModifiedRange): FileCondition | undefined {
  const from = after === undefined ? [] : [compareModified(">=", Date.parse(after))];
  const to = before === undefined ? [] : [compareModified("<", Date.parse(before))];
  const all = [...from, ...to];
  return all.length === 0 ? undefined : { all };
}

type Selection = ModifiedRange & {
  useAllFiles: boolean;
  files: string[];
  folders: string[];
  metadata?: MetadataFilter[];
};

/** All files, or those named, in any Unicode or URL form; an empty folder name matches nothing. */
export function restrictionTo({
  useAllFiles,
  files,
  folders,
  metadata = [],
  ...modified
}: Selection): Restriction {
  const condition = modifiedWithinCondition(modified);
  const also = { metadata, ...(condition && { condition }) };
  if (useAllFiles) return { named: null, ...also };
  const scopes = {
    files: files.flatMap(storedFormsOf),
    folders: folders.filter((folder) => trimEnd(folder, "/") !== "").flatMap(storedFormsOf),
  };
  return { named: scopes, ...also };
}

/** A leg's least candidates: scores are normalised over them, so topK must not change them. */
const MIN_CANDIDATES = 100;
/** A trained model finds passages that words do not: among 100, they would seem far from the best. */
const MIN_CANDIDATES_TRAINED = 300;
/** Characters of a query that are searched; models cut earlier still. */
const QUERY_LIMIT = 16_384;
/** Characters of the joined text, or of the longest query: many models read 512 tokens. */
const JOINED_LIMIT = 2_000;

export type SearchPlan = Pick<RetrievalRequest, "targets" | "queries" | "includeDuplicates"> & {
  /** Looked for in the index: the queries and, of several, their joined text. */
  searched: string[];
  limitPerLeg: number;
  reranks: boolean;
  /** The answer says why each chunk stands where it does. */
  explains: boolean;
  /** Chunks of each RAG that reranking, or else the answer, needs. */
  needed: number;
  /** Least similarity, up to 1; null: also where it is 0, which every score reaches. */
  threshold: number | null;
};

const UNSETTLED = "who may read these files is changing: try again in a moment";

/**
 * Without a reranker, reranking changes nothing.
 * @throws QuarryError `invalid` without a reader; `busy` where too many audiences have changed
 */
export function planSearch(request: RetrievalRequest, explains: boolean): SearchPlan {
  const { topK, useReranking, candidateMultiplier, targets } = request;
  // Refused here, before a part of the search can fail by itself.
  for (const { rag } of targets) {
    if ((readersOf(rag)?.untold ?? []).length > MAX_UNSENT) throw busy(UNSETTLED);
  }
  const reranks = useReranking && targets.some(({ rag }) => rag.reranker !== null);
  const isBuiltIn = ({ rag }: RetrievalTarget) => rag.embeddingModel === BUILT_IN_MODELS.embedding;
  const least = targets.every(isBuiltIn) ? MIN_CANDIDATES : MIN_CANDIDATES_TRAINED;
  const needed = reranks ? topK * candidateMultiplier : topK;
  const queries = request.queries.map((query) => cutQuery(query));
  return {
    targets: targets.filter(showsAnything),
    queries,
    searched: queries.length > 1 ? [...queries, joinedText([...new Set(queries)])] : queries,
    includeDuplicates: request.includeDuplicates,
    limitPerLeg: Math.max(least, needed),
    reranks,
    explains,
    needed,
    threshold: request.similarityThreshold || null,
  };
}

function cutQuery(query: string, limit = QUERY_LIMIT): string {
  let text = query.slice(0, limit);
  for (let searched = foldedLength(text); searched > limit; searched = foldedLength(text))
    text = text.slice(0, Math.floor((text.length * limit) / searched));
  return text.toWellFormed();
}

/** Each query has its share: models read only the beginning of a long text, or refuse it. */
function joinedText(queries: string[]): string {
  const limit = Math.max(JOINED_LIMIT, ...queries.map(({ length }) => length));
  const whole = queries.join(" ");
  if (whole.length <= limit) return whole;
  return queries.map((query) => cutQuery(query, limit / queries.length - 1)).join(" ");
}

/** A call that names nothing of a RAG finds nothing in it. */
function showsAnything({ restriction: { named: scopes } }: RetrievalTarget): boolean {
  return scopes === null || scopes.files.length + scopes.folders.length > 0;
}
