import { RegExpParser, type AST } from "@eslint-community/regexpp";

/** The program of a Thompson automaton (Russ Cox, "Regular Expression Matching", 2009). */
export type Program = Instruction[];

type Instruction =
  | { kind: "character"; admits: (codePoint: number) => boolean }
  | { kind: "split"; to: number[] }
  | { kind: "edge"; edge: AST.EdgeAssertion["kind"] }
  | { kind: "boundary"; negate: boolean }
  | { kind: "match" };

export type CompiledPattern =
  | { ok: true; program: Program; size: number }
  | { ok: false; reason: string };

/** Counted repeats are written out: `(a{100}){100}` is 10,000 instructions. */
const MAX_INSTRUCTIONS = 20_000;
/** Compiling recurses. */
const MAX_GROUP_DEPTH = 100;

class NotSupported extends Error {}

/** Reads a pattern as ECMAScript does with the flag `u`; the reason follows "the pattern". */
export function compilePattern(source: string): CompiledPattern {
  let parsed: AST.Pattern;
  try {
    // The parser recurses as well, and V8 judges what is no pattern at all.
    if (nestingOf(source) > MAX_GROUP_DEPTH) return refused("is nested too deeply");
    parsed = new RegExpParser({ ecmaVersion: 2024 }).parsePattern(source, 0, source.length, {
      unicode: true,
    });
  } catch {
    return refused("is not a regular expression");
  }
  try {
    const compiler = new Compiler();
    const program = compiler.compiled(parsed.alternatives);
    return { ok: true, program, size: compiler.size };
  } catch (thrown) {
    if (thrown instanceof NotSupported) return refused(thrown.message);
    throw thrown;
  }
}

const refused = (reason: string): CompiledPattern => ({ ok: false, reason });

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
  size = 0;

  compiled(alternatives: AST.Alternative[]): Program {
    const program: Program = [];
    this.#either(program, alternatives);
    this.#add(program, { kind: "match" });
    return program;
  }

  #add(program: Program, instruction: Instruction): void {
    this.size += 1;
    if (this.size > MAX_INSTRUCTIONS) throw new NotSupported("is too large when written out");
    program.push(instruction);
  }

  #split(program: Program): Extract<Instruction, { kind: "split" }> {
    const split = { kind: "split" as const, to: [] };
    this.#add(program, split);
    return split;
  }

  #either(program: Program, alternatives: AST.Alternative[]): void {
    if (alternatives.length === 1) return this.#sequence(program, alternatives[0]);
    const choice = this.#split(program);
    const ends = alternatives.map((alternative) => {
      choice.to.push(program.length);
      this.#sequence(program, alternative);
      return this.#split(program);
    });
    for (const end of ends) end.to.push(program.length);
  }

  #sequence(program: Program, alternative: AST.Alternative | undefined): void {
    for (const element of alternative?.elements ?? []) this.#element(program, element);
  }

  #element(program: Program, element: AST.Element): void {
    switch (element.type) {
      case "Character":
      case "CharacterSet":
      case "CharacterClass":
        this.#add(program, { kind: "character", admits: admittedBy(element) });
        break;
      case "Group":
        if (element.modifiers) throw new NotSupported("uses modifiers, which are not supported");
        this.#either(program, element.alternatives);
        break;
      case "CapturingGroup":
        this.#either(program, element.alternatives);
        break;
      case "Quantifier":
        this.#repeat(program, element);
        break;
      case "Assertion":
        this.#assertion(program, element);
        break;
      default:
        throw new NotSupported("refers back to a group, which is not supported");
    }
  }

  #repeat(program: Program, { element, min, max }: AST.Quantifier): void {
    for (let time = 0; time < min; time++) {
      const before = this.size;
      this.#element(program, element);
      // What is empty may be repeated a thousand million times, and stays empty.
      if (this.size === before) return;
    }
    if (max === Infinity) {
      const loop = this.#split(program);
      const start = program.length - 1;
      loop.to.push(program.length);
      this.#element(program, element);
      this.#split(program).to.push(start);
      loop.to.push(program.length);
      return;
    }
    const ways: Extract<Instruction, { kind: "split" }>[] = [];
    for (let time = min; time < max; time++) {
      const way = this.#split(program);
      way.to.push(program.length);
      ways.push(way);
      this.#element(program, element);
    }
    for (const way of ways) way.to.push(program.length);
  }

  #assertion(program: Program, assertion: AST.Assertion): void {
    switch (assertion.kind) {
      case "word":
        this.#add(program, { kind: "boundary", negate: assertion.negate });
        break;
      case "start":
      case "end":
        this.#add(program, { kind: "edge", edge: assertion.kind });
        break;
      default:
        throw new NotSupported("looks ahead or behind, which is not supported");
    }
  }
}

const LATIN = 256;

/** V8 itself says what a class holds, one character at a time. */
function admittedBy(
  element: AST.Character | AST.CharacterSet | AST.CharacterClass,
): (codePoint: number) => boolean {
  if (element.type === "Character") return (codePoint) => codePoint === element.value;
  const one = new RegExp(`^(?:${element.raw})$`, "u");
  // 0: not asked yet.
  const known = new Uint8Array(LATIN);
  return (codePoint) => {
    if (codePoint >= LATIN) return one.test(String.fromCodePoint(codePoint));
    if (known[codePoint] === 0)
      known[codePoint] = one.test(String.fromCodePoint(codePoint)) ? 1 : 2;
    return known[codePoint] === 1;
  };
}
