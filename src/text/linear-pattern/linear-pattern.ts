import type { Budget } from "../../core/work/step-budget.ts";
import { compilePattern } from "./compile-pattern.ts";
import type { Program } from "./compile-pattern.ts";

/** Whether a text holds a match. @throws BudgetSpent */
export type PatternTest = (text: string, budget: Budget) => boolean;

export type LinearPattern =
  | { ok: true; test: PatternTest; size: number }
  | { ok: false; reason: string };

/**
 * A caller's pattern with the meaning of `new RegExp(source, "u").test(text)`. It takes at most
 * the pattern's size times the text's length (with lookaround, times the length again), and each
 * step is counted. Back references are not supported.
 */
export function linearPattern(source: string): LinearPattern {
  const compiled = compilePattern(source);
  if (!compiled.ok) return compiled;
  const { program, size } = compiled;
  const test: PatternTest = (text, budget) => matches(program, { text, budget }, 0, "anywhere");
  return { ok: true, test, size };
}

type Search = { text: string; budget: Budget };
/** Where a match may begin, and which way it goes on. */
type Way = "anywhere" | "ahead" | "behind";

function matches(program: Program, search: Search, from: number, way: Way): boolean {
  const { text } = search;
  let threads = new Threads(program, search);
  let next = new Threads(program, search);
  let at = from;
  threads.add(0, at);
  while (!threads.hasMatched) {
    if (threads.waiting.length === 0 && way !== "anywhere") return false;
    const codePoint = way === "behind" ? codePointBefore(text, at) : text.codePointAt(at);
    if (codePoint === undefined) return false;
    at += (way === "behind" ? -1 : 1) * (codePoint > 0xffff ? 2 : 1);
    threads.advance(codePoint, next, at);
    [threads, next] = [next, threads];
    if (way === "anywhere") threads.add(0, at);
  }
  return true;
}

function codePointBefore(text: string, at: number): number | undefined {
  if (at === 0) return undefined;
  const pair = at > 1 ? text.codePointAt(at - 2) : undefined;
  return pair !== undefined && pair > 0xffff ? pair : text.charCodeAt(at - 1);
}

/** The instructions that are reached at one place of the text, each once. */
class Threads {
  /** Those that wait for a character. */
  waiting: number[] = [];
  hasMatched = false;
  readonly #program: Program;
  readonly #search: Search;
  readonly #seen: Uint32Array;
  #round = 1;

  constructor(program: Program, search: Search) {
    this.#program = program;
    this.#search = search;
    search.budget.spend(program.length >>> 6);
    this.#seen = new Uint32Array(program.length);
  }

  /** Those that this character lets through go on in `next`, which is emptied before. */
  advance(codePoint: number, next: Threads, at: number): void {
    next.waiting = [];
    next.hasMatched = false;
    next.#round += 1;
    for (const thread of this.waiting) {
      const instruction = this.#program[thread];
      if (instruction?.kind !== "character" || !instruction.admits(codePoint)) continue;
      next.add(thread + 1, at);
    }
  }

  add(first: number, at: number): void {
    const open = [first];
    for (let now = open.pop(); now !== undefined; now = open.pop()) {
      if (this.#seen[now] === this.#round) continue;
      this.#seen[now] = this.#round;
      this.#search.budget.spend();
      const instruction = this.#program[now];
      if (instruction === undefined) continue;
      if (instruction.kind === "character") this.waiting.push(now);
      else if (instruction.kind === "match") this.hasMatched = true;
      else if (instruction.kind === "split") open.push(...instruction.to);
      else if (holds(instruction, this.#search, at)) open.push(now + 1);
    }
  }
}

type Assertion = Extract<Program[number], { kind: "edge" | "boundary" | "look" }>;

function holds(assertion: Assertion, search: Search, at: number): boolean {
  const { text } = search;
  switch (assertion.kind) {
    case "edge":
      return assertion.edge === "start" ? at === 0 : at === text.length;
    case "boundary":
      return (isWordAt(text, at - 1) !== isWordAt(text, at)) !== assertion.negate;
    default: {
      const way = assertion.behind ? "behind" : "ahead";
      return matches(assertion.program, search, at, way) !== assertion.negate;
    }
  }
}

const isWordAt = (text: string, at: number) => /\w/.test(text.charAt(at));
