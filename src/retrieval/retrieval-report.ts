import type { SpanFacts } from "../core/trace.ts";
import type { ModelUse } from "../ports/job-queue.ts";

const LEG_KINDS = ["embedding", "search", "vectorIndex", "hydration", "reranking"] as const;
export type LegKind = (typeof LEG_KINDS)[number];
type LegTime = { kind: LegKind; from: number; to: number };

/** The metadata of a retrieval: its degradations, the models it used, its times. */
export class RetrievalReport {
  readonly #degradations = new Map<string, string>();
  readonly #uses: ModelUse[] = [];
  readonly #times: LegTime[] = [];

  /**
   * Records one sentence per part: a failed part may be called several times, but is reported
   * once.
   */
  degraded(part: string, sentence: string): void {
    if (!this.#degradations.has(part)) this.#degradations.set(part, sentence);
  }

  /** Records a call of an embedding model or a reranker, failed ones too. */
  used(use: ModelUse): void {
    this.#uses.push(use);
  }

  ran(time: LegTime): void {
    this.#times.push(time);
  }

  /** In the order in which they were recorded. */
  get degradations(): string[] {
    return [...this.#degradations.values()];
  }

  get uses(): ModelUse[] {
    return [...this.#uses];
  }

  /**
   * `embeddingMs`, `searchMs`, …: milliseconds from the start of the first leg of a kind to the
   * end of the last; kinds without a leg are omitted.
   */
  legTimes(): SpanFacts {
    return Object.fromEntries(
      LEG_KINDS.flatMap((kind): [string, number][] => {
        const ran = this.#times.filter((time) => time.kind === kind);
        if (ran.length === 0) return [];
        const from = Math.min(...ran.map((time) => time.from));
        const to = Math.max(...ran.map((time) => time.to));
        return [[`${kind}Ms`, to - from]];
      }),
    );
  }
}
