import type { Question } from "./question.ts";
import { sharesPrefix } from "./stems.ts";
import type { Part, Unit } from "./units.ts";

/** A word that only begins as a term does, and words in code, say less. */
const PREFIX_SHARE = 0.7;
const CODE_SHARE = 0.75;
/** How near two words are that stand so many words apart, and further apart. */
const NEARNESS: [words: number, near: number][] = [
  [2, 1],
  [4, 0.7],
  [8, 0.3],
];

/** Shares of the question, 0 to 1. */
export type Shares = Record<"block" | "sentence" | "own" | "headed" | "near", number>;

type Hit = { term: number; share: number };
/** By term: how far a block holds it, and how near to the term before it. */
type ReadPart = { held: number[]; near: number[]; sentence: number };

/** How far texts hold the terms of a question: each stem and each block is looked at once. */
export class TermReader {
  readonly total: number;
  readonly #terms: Question["terms"];
  readonly #hits = new Map<string, Hit[]>();
  readonly #parts = new Map<Part, ReadPart>();
  readonly #headings = new Map<Set<string>, number[]>();

  constructor({ terms }: Question) {
    this.#terms = terms;
    this.total = terms.reduce((sum, { weight }) => sum + weight, 0);
  }

  /** @param names stems of the question that name the unit's document. */
  read({ parts, headings }: Unit, names: Set<string>): Shares {
    const above = this.#inHeadings(headings);
    const read = parts.map((part) => this.#inPart(part));
    const most = this.#terms.map((_, term) =>
      Math.max(0, ...read.map(({ held }) => held[term] ?? 0)),
    );
    const blocks = read.map(({ held }) =>
      this.#weighed(held.map((share, term) => Math.max(share, above[term] ?? 0))),
    );
    const near = this.#terms
      .slice(1)
      .map((_, at) => Math.max(0, ...read.map((one) => one.near[at + 1] ?? 0)));
    const isNamed = this.#terms.map(({ stem }) => names.has(stem));
    const outside = (shares: number[]) => {
      const rest = this.#terms.reduce((sum, { weight }, at) => sum + (isNamed[at] ? 0 : weight), 0);
      const said = this.#weighed(shares.map((share, at) => (isNamed[at] ? 0 : share))) * this.total;
      return rest === 0 ? 1 : said / rest;
    };
    return {
      block: Math.max(0, ...blocks),
      sentence: Math.max(0, ...read.map(({ sentence }) => sentence)),
      own: outside(most),
      headed: outside(above),
      near: near.length === 0 ? this.#weighed(most) : average(near),
    };
  }

  #weighed = (shares: number[]): number =>
    shares.reduce((sum, share, at) => sum + share * (this.#terms[at]?.weight ?? 0), 0) / this.total;

  #inHeadings(headings: Set<string>): number[] {
    const known = this.#headings.get(headings);
    if (known !== undefined) return known;
    const held = this.#terms.map(() => 0);
    for (const stem of headings) {
      for (const { term, share } of this.#hitsOf(stem))
        held[term] = Math.max(held[term] ?? 0, share);
    }
    this.#headings.set(headings, held);
    return held;
  }

  #inPart(part: Part): ReadPart {
    const known = this.#parts.get(part);
    if (known !== undefined) return known;
    const read: ReadPart = {
      held: this.#terms.map(() => 0),
      near: this.#terms.map(() => 0),
      sentence: 0,
    };
    const factor = part.kind === "code" ? CODE_SHARE : 1;
    for (const sentence of part.sentences) {
      const held = this.#inSentence(sentence, read.near);
      for (const [term, share] of held)
        read.held[term] = Math.max(read.held[term] ?? 0, share * factor);
      let sum = 0;
      for (const [term, share] of held) sum += share * (this.#terms[term]?.weight ?? 0);
      read.sentence = Math.max(read.sentence, (sum * factor) / this.total);
    }
    this.#parts.set(part, read);
    return read;
  }

  #inSentence(sentence: string[], near: number[]): Map<number, number> {
    const held = new Map<number, number>();
    const last = new Map<number, number>();
    for (const [at, stem] of sentence.entries()) {
      for (const { term, share } of this.#hitsOf(stem)) {
        held.set(term, Math.max(held.get(term) ?? 0, share));
        last.set(term, at);
        for (const pair of [term, term + 1]) {
          const distance = (last.get(pair) ?? NaN) - (last.get(pair - 1) ?? NaN);
          near[pair] = Math.max(near[pair] ?? 0, nearnessOf(Math.abs(distance)));
        }
      }
    }
    return held;
  }

  /** `ensureDirSync` speaks of `ensureDir`, `ensure` does not. */
  #hitsOf(stem: string): Hit[] {
    const known = this.#hits.get(stem);
    if (known !== undefined) return known;
    const hits = this.#terms.flatMap(({ stem: term, isCode }, at): Hit[] => {
      if (stem === term) return [{ term: at, share: 1 }];
      if (isCode && stem.length < term.length) return [];
      return sharesPrefix(stem, term) ? [{ term: at, share: PREFIX_SHARE }] : [];
    });
    this.#hits.set(stem, hits);
    return hits;
  }
}

const nearnessOf = (distance: number): number =>
  distance === 0 ? 0 : (NEARNESS.find(([words]) => distance <= words)?.[1] ?? 0);

const average = (values: number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
