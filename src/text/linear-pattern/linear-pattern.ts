import type { Budget } from "../../core/work/step-budget.ts";
import { compilePattern, type Program } from "./compile-pattern.ts";

/** Whether a text holds a match. @throws BudgetSpent */
export type PatternTest = (text: string, budget: Budget) => boolean;

/**
 * A caller's pattern with the meaning of `new RegExp(source, "u").test(text)`. It takes at most
 * the pattern's size times the text's length, and each step is counted. Back references and
 * lookaround are not supported. @throws PatternError
 */
export function linearPattern(source: string): { test: PatternTest; size: number } {
  const program = compilePattern(source);
  return { test: (text, budget) => matches(program, text, budget), size: program.length };
}

function matches(program: Program, text: string, budget: Budget): boolean {
  let threads = new Threads(program, text, budget);
  let next = new Threads(program, text, budget);
  let at = 0;
  threads.add(0, at);
  while (!threads.hasMatched) {
    const codePoint = text.codePointAt(at);
    if (codePoint === undefined) return false;
    at += codePoint > 0xffff ? 2 : 1;
    threads.advance(codePoint, next, at);
    [threads, next] = [next, threads];
    threads.add(0, at);
  }
  return true;
}

/** The instructions that are reached at one place of the text, each once. */
class Threads {
  /** Those that wait for a character. */
  waiting: number[] = [];
  hasMatched = false;
  readonly #program: Program;
  readonly #text: string;
  readonly #budget: Budget;
  readonly #seen: Uint32Array;
  #round = 1;

  constructor(program: Program, text: string, budget: Budget) {
    this.#program = program;
    this.#text = text;
    this.#budget = budget;
    budget.spend(program.length >>> 6);
    this.#seen = new Uint32Array(program.length);
  }

  /** Those that this character lets through go on in `next`, which is emptied before. */
  advance(codePoint: number, next: Threads, at: number): void {
    next.waiting = [];
    next.hasMatched = false;
    next.#round += 1;
    for (const thread of this.waiting) {
      const instruction = this.#program[thread];
      if (instruction?.kind !== "character" || !instruction.isAdmitted(codePoint)) continue;
      next.add(thread + 1, at);
    }
  }

  add(first: number, at: number): void {
    const open = [first];
    for (let now = open.pop(); now !== undefined; now = open.pop()) {
      if (this.#seen[now] === this.#round) continue;
      this.#seen[now] = this.#round;
      this.#budget.spend();
      const instruction = this.#program[now];
      if (instruction === undefined) continue;
      if (instruction.kind === "character") this.waiting.push(now);
      else if (instruction.kind === "match") this.hasMatched = true;
      else if (instruction.kind === "split") open.push(...instruction.to);
      else if (isTrueAt(instruction, this.#text, at)) open.push(now + 1);
    }
  }
}

type Assertion = Extract<Program[number], { kind: "edge" | "boundary" }>;

function isTrueAt(assertion: Assertion, text: string, at: number): boolean {
  if (assertion.kind === "edge") return at === (assertion.edge === "start" ? 0 : text.length);
  return (isWordAt(text, at - 1) !== isWordAt(text, at)) !== assertion.negate;
}

const isWordAt = (text: string, at: number) => /\w/.test(text.charAt(at));
