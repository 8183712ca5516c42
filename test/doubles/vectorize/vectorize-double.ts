/**
 * Vectorize with its documented limits and its delay: what was written shows when the clock has
 * passed `visibleAfterMs`, in the order in which it was written. Sources: developers.cloudflare.com/vectorize/platform/limits/ and
 * /vectorize/reference/client-api/. Scores are rounded as an approximate index would.
 */
const MAX_TOP_K = 100;
const MAX_TOP_K_WITH_CONTENT = 50;
const MAX_ID_BYTES = 64;
const MAX_NAMESPACE_BYTES = 64;
const MAX_METADATA_BYTES = 10 * 1_024;
const MAX_METADATA_INDEXES = 10;
const INDEXED_STRING_BYTES = 64;
const MAX_FILTER_BYTES = 2_048;
const MAX_UPSERT = 1_000;
const MAX_DELETE = 100;
const MAX_GET = 20;
const MAX_DIMENSIONS = 1_536;
const MAX_NAMESPACES = 50_000;
const MAX_UPLOAD_BYTES = 100_000_000;
const BYTES_PER_DIMENSION = 4;
const SCORE_STEPS = 200;

type Stored = VectorizeVector & { values: number[] };
type Mutation = { at: number; writtenAt: number; apply: () => void };
type Options = {
  dimensions: number;
  now: () => number;
  visibleAfterMs: number | (() => number);
  /** Steps that a score of 1 is rounded to. */
  scoreSteps?: number;
  metadataIndexes: readonly string[];
};

const bytes = (text: string) => new TextEncoder().encode(text).length;

function refuse(code: number, message: string): never {
  throw new Error(`VECTOR_QUERY_ERROR (code = ${code}): ${message}`);
}

export class VectorizeDouble {
  readonly calls: { name: string; size: number }[] = [];
  /** Set to make every call fail, as when the service is down. */
  failure: Error | null = null;
  readonly #options: Options;
  readonly #vectors = new Map<string, Stored>();
  readonly #namespaces = new Set<string>();
  #pending: Mutation[] = [];
  #processedUpTo = 0;

  constructor(options: Options) {
    if (options.metadataIndexes.length > MAX_METADATA_INDEXES) {
      refuse(40_000, "too many indexes");
    }
    if (options.dimensions > MAX_DIMENSIONS) refuse(40_000, "too many dimensions");
    this.#options = options;
  }

  async describe() {
    this.#enter("describe", 0);
    return {
      vectorCount: this.#vectors.size,
      dimensions: this.#options.dimensions,
      processedUpToDatetime: this.#processedUpTo,
      processedUpToMutation: 0,
    };
  }

  async upsert(vectors: VectorizeVector[]) {
    this.#enter("upsert", vectors.length);
    if (vectors.length > MAX_UPSERT) refuse(40_008, `at most ${MAX_UPSERT} vectors`);
    const bytes = vectors.length * this.#options.dimensions * BYTES_PER_DIMENSION;
    if (bytes > MAX_UPLOAD_BYTES) refuse(40_008, "upload too large");
    const records = vectors.map((vector) => this.#checked(vector));
    for (const { namespace } of records)
      if (namespace !== undefined) this.#namespaces.add(namespace);
    if (this.#namespaces.size > MAX_NAMESPACES) refuse(40_008, "too many namespaces");
    return this.#later(() => {
      for (const record of records) this.#vectors.set(record.id, record);
    });
  }

  async deleteByIds(ids: string[]) {
    this.#enter("deleteByIds", ids.length);
    if (ids.length > MAX_DELETE) refuse(40_007, `at most ${MAX_DELETE} ids`);
    return this.#later(() => {
      for (const id of ids) this.#vectors.delete(id);
    });
  }

  async getByIds(ids: string[]) {
    this.#enter("getByIds", ids.length);
    if (ids.length > MAX_GET) refuse(40_007, `at most ${MAX_GET} ids`);
    return ids.flatMap((id) => this.#vectors.get(id) ?? []);
  }

  async query(vector: VectorFloatArray | number[], options: VectorizeQueryOptions = {}) {
    this.#enter("query", options.topK ?? 0);
    const { topK = 5, namespace, filter } = options;
    const withContent = options.returnValues === true || options.returnMetadata === "all";
    const topKMax = withContent ? MAX_TOP_K_WITH_CONTENT : MAX_TOP_K;
    if (topK < 1 || topK > topKMax) refuse(40_025, `topK must be 1 to ${topKMax}`);
    if (vector.length !== this.#options.dimensions) refuse(40_006, "wrong dimensions");
    if (bytes(JSON.stringify(filter ?? {})) >= MAX_FILTER_BYTES) refuse(40_026, "filter too large");
    const matches = [...this.#vectors.values()]
      .filter((candidate) => namespace === undefined || candidate.namespace === namespace)
      .filter((candidate) => this.#admits(candidate, filter ?? {}))
      .map(({ id, values }) => ({ id, score: this.#approximate(cosine(values, vector)) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, topK);
    return { matches, count: matches.length };
  }

  /** For a test to look behind the API: ids that show by now, of namespaces that begin so. */
  idsIn(namespace: string): string[] {
    this.#workIn();
    const inside = [...this.#vectors.values()].filter(
      (candidate) => candidate.namespace?.startsWith(namespace) === true,
    );
    return inside.map(({ id }) => id);
  }

  /** For a test: all that is stored but the values, as JSON. */
  everything(): string {
    this.#workIn();
    return JSON.stringify(
      Array.from(this.#vectors.values(), ({ id, namespace, metadata }) => [
        id,
        namespace,
        metadata,
      ]),
    );
  }

  /** For a test: the service loses these. */
  lose(ids: string[]): void {
    for (const id of ids) this.#vectors.delete(id);
  }

  #enter(name: string, size: number): void {
    this.calls.push({ name, size });
    if (this.failure !== null) throw this.failure;
    this.#workIn();
  }

  #workIn(): void {
    const now = this.#options.now();
    const due = this.#pending.filter(({ at }) => at <= now);
    this.#pending = this.#pending.filter(({ at }) => at > now);
    for (const { writtenAt, apply } of due) {
      apply();
      this.#processedUpTo = writtenAt;
    }
  }

  #later(apply: () => void) {
    const { visibleAfterMs, now } = this.#options;
    const writtenAt = now();
    const delayMs = typeof visibleAfterMs === "number" ? visibleAfterMs : visibleAfterMs();
    const at = Math.max(writtenAt + delayMs, this.#pending.at(-1)?.at ?? 0);
    this.#pending.push({ at, writtenAt, apply });
    return { mutationId: crypto.randomUUID() };
  }

  #checked(vector: VectorizeVector): Stored {
    if (bytes(vector.id) > MAX_ID_BYTES) refuse(40_008, "id too long");
    if (bytes(vector.namespace ?? "") > MAX_NAMESPACE_BYTES) refuse(40_008, "namespace too long");
    if (bytes(JSON.stringify(vector.metadata ?? {})) > MAX_METADATA_BYTES) {
      refuse(40_008, "metadata too large");
    }
    if (vector.values.length !== this.#options.dimensions) refuse(40_012, "wrong dimensions");
    return { ...vector, values: Array.from(vector.values) };
  }

  #approximate(score: number): number {
    const { scoreSteps = SCORE_STEPS } = this.#options;
    return Math.round(score * scoreSteps) / scoreSteps;
  }

  #admits(vector: Stored, filter: VectorizeVectorMetadataFilter): boolean {
    return Object.entries(filter).every(([key, condition]) => {
      if (!this.#options.metadataIndexes.includes(key)) return false;
      const value = indexed(vector.metadata?.[key]);
      if (typeof condition !== "object" || condition === null) return value === condition;
      return Object.entries(condition).every(([operator, operand]) =>
        admitted(operator, value, operand),
      );
    });
  }
}

/** Only the first 64 bytes of a string are indexed. */
function indexed(value: unknown): unknown {
  if (typeof value !== "string") return value;
  return new TextDecoder().decode(new TextEncoder().encode(value).slice(0, INDEXED_STRING_BYTES));
}

function admitted(operator: string, value: unknown, operand: unknown): boolean {
  if (operator === "$eq") return value === operand;
  if (operator === "$ne") return value !== operand;
  if (operator === "$in") return Array.isArray(operand) && operand.includes(value);
  if (operator === "$nin") return Array.isArray(operand) && !operand.includes(value);
  return refuse(40_026, `operator ${operator} is not supported by this double`);
}

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [dot, leftSquares, rightSquares] = [0, 0, 0];
  for (let at = 0; at < a.length; at++) {
    const [x, y] = [a[at] ?? 0, b[at] ?? 0];
    dot += x * y;
    leftSquares += x * x;
    rightSquares += y * y;
  }
  return leftSquares === 0 || rightSquares === 0 ? 0 : dot / Math.sqrt(leftSquares * rightSquares);
}
