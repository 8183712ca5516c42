import { RegExpParser, type AST } from "@eslint-community/regexpp";

/** The program of a Thompson automaton (Russ Cox, "Regular Expression Matching", 2009). */
export type Program = Instruction[];

type Split = { kind: "split"; to: number[] };
type Instruction =
  | { kind: "character"; isAdmitted: (codePoint: number) => boolean }
  | Split
  | { kind: "edge"; edge: AST.EdgeAssertion["kind"] }
  | { kind: "boundary"; negate: boolean }
  | { kind: "match" };

/** Counted repeats are written out: `(a{100}){100}` is 10,000 instructions. */
const MAX_INSTRUCTIONS = 20_000;
/** Compiling recurses. */
const MAX_GROUP_DEPTH = 100;

/** The message follows "the pattern". */
export class PatternError extends Error {}

/** Reads a pattern as ECMAScript does with the flag `u`. @throws PatternError */
export function compilePattern(source: string): Program {
  // The parser recurses as well, and V8 judges what is no pattern at all.
  if (nestingOf(source) > MAX_GROUP_DEPTH) throw new PatternError("is nested too deeply");
  const compiler = new Compiler();
  compiler.compileAlternatives(alternativesOf(source));
  compiler.add({ kind: "match" });
  return compiler.program;
}

function alternativesOf(source: string): AST.Alternative[] {
  const parser = new RegExpParser({ ecmaVersion: 2024 });
  try {
    return parser.parsePattern(source, 0, source.length, { unicode: true }).alternatives;
  } catch {
    throw new PatternError("is not a regular expression");
  }
}

/** At least as deep as its groups are: brackets in classes and escapes count as well. */
function nestingOf(source: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of source) {
    if (character === "(") deepest = Math.max(deepest, ++depth);
    else if (character === ")") depth = Math.max(0, depth - 1);
  }
  return deepest;
}

class Compiler {
  readonly program: Program = [];

  add(instruction: Instruction): void {
    if (this.program.length === MAX_INSTRUCTIONS) {
      throw new PatternError("is too large when written out");
    }
    this.program.push(instruction);
  }

  #split(...to: number[]): Split {
    const split: Split = { kind: "split", to };
    this.add(split);
    return split;
  }

  compileAlternatives(alternatives: AST.Alternative[]): void {
    if (alternatives.length === 1) return this.#sequence(alternatives[0]);
    const choice = this.#split();
    const ends = alternatives.map((alternative) => {
      choice.to.push(this.program.length);
      this.#sequence(alternative);
      return this.#split();
    });
    for (const end of ends) end.to.push(this.program.length);
  }

  #sequence(alternative: AST.Alternative | undefined): void {
    for (const element of alternative?.elements ?? []) this.#element(element);
  }

  #element(element: AST.Element): void {
    switch (element.type) {
      case "Character":
      case "CharacterSet":
      case "CharacterClass":
        return this.add({ kind: "character", isAdmitted: matcherOf(element) });
      case "Group":
        if (element.modifiers) throw new PatternError("uses modifiers, which are not supported");
        return this.compileAlternatives(element.alternatives);
      case "CapturingGroup":
        return this.compileAlternatives(element.alternatives);
      case "Quantifier":
        return this.#repeat(element);
      case "Assertion":
        return this.#assertion(element);
      default:
        throw new PatternError("refers back to a group, which is not supported");
    }
  }

  #repeat({ element, min, max }: AST.Quantifier): void {
    const { program } = this;
    for (let time = 0; time < min; time++) {
      const before = program.length;
      this.#element(element);
      // An empty part may be repeated a thousand million times, and stays empty.
      if (program.length === before) return;
    }
    if (max === Infinity) {
      const start = program.length;
      const loop = this.#split(start + 1);
      this.#element(element);
      this.#split(start);
      loop.to.push(program.length);
      return;
    }
    const ways: Split[] = [];
    for (let time = min; time < max; time++) {
      ways.push(this.#split(program.length + 1));
      this.#element(element);
    }
    for (const way of ways) way.to.push(program.length);
  }

  #assertion(assertion: AST.Assertion): void {
    switch (assertion.kind) {
      case "word":
        return this.add({ kind: "boundary", negate: assertion.negate });
      case "start":
      case "end":
        return this.add({ kind: "edge", edge: assertion.kind });
      default:
        throw new PatternError("looks ahead or behind, which is not supported");
    }
  }
}

const LATIN = 256;

/** V8 itself says what a class holds, one character at a time. */
function matcherOf(
  element: AST.Character | AST.CharacterSet | AST.CharacterClass,
): (codePoint: number) => boolean {
  if (element.type === "Character") return (codePoint) => codePoint === element.value;
  const pattern = new RegExp(`^(?:${element.raw})$`, "u");
  // 0: not asked yet.
  const latin = new Uint8Array(LATIN);
  return (codePoint) => {
    if (codePoint >= LATIN) return pattern.test(String.fromCodePoint(codePoint));
    if (latin[codePoint] === 0)
      latin[codePoint] = pattern.test(String.fromCodePoint(codePoint)) ? 1 : 2;
    return latin[codePoint] === 1;
  };
}
