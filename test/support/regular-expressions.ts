/** Finds regular expressions in source text, and tells which of them take more than linear time. */
import { parseSync, Visitor } from "oxc-parser";
import { analyse } from "scslre";

export type WrittenPattern = { source: string; flags: string };

/** A file's literals, and where it calls `new RegExp`. */
export type PatternsOfFile = {
  literals: WrittenPattern[];
  /** Some are made when the module is loaded: they can be recorded by loading it. */
  madeOnLoad: boolean;
  /** The text of each call inside a function: what it makes is known only while it runs. */
  madeWhileRunning: string[];
};

export function patternsIn(file: string, text: string): PatternsOfFile {
  const patterns: PatternsOfFile = { literals: [], madeOnLoad: false, madeWhileRunning: [] };
  let depth = 0;
  const enter = () => {
    depth += 1;
  };
  const leave = () => {
    depth -= 1;
  };
  const recordCall = (call: { callee: unknown; start: number; end: number }) => {
    const { callee } = call;
    if ((callee as { type: string; name?: string }).name !== "RegExp") return;
    if (depth === 0) patterns.madeOnLoad = true;
    else patterns.madeWhileRunning.push(text.slice(call.start, call.end).replaceAll(/\s+/g, " "));
  };
  new Visitor({
    FunctionDeclaration: enter,
    "FunctionDeclaration:exit": leave,
    FunctionExpression: enter,
    "FunctionExpression:exit": leave,
    ArrowFunctionExpression: enter,
    "ArrowFunctionExpression:exit": leave,
    NewExpression: recordCall,
    CallExpression: recordCall,
    Literal: (literal) => {
      if (!("regex" in literal)) return;
      patterns.literals.push({ source: literal.regex.pattern, flags: literal.regex.flags });
    },
  }).visit(parseSync(file, text).program);
  return patterns;
}

/**
 * Why a pattern can take more than linear time, one reason a line; empty when it cannot. Found are
 * texts that repeat one character: repeats that trade it between them, nested repeats, and repeats
 * that are tried again from every place.
 */
export function superLinear({ source, flags }: WrittenPattern): string[] {
  const { reports } = analyse({ source, flags });
  const reasons = reports.map(({ type, exponential, character }) => {
    const degree = exponential ? "exponential" : "polynomial";
    return `${type}, ${degree}, by repeating ${JSON.stringify(character.pick)}`;
  });
  return [...new Set(reasons)];
}

/** Records the patterns that `new RegExp` makes while `load` runs. */
export async function recordPatterns(load: () => Promise<unknown>): Promise<WrittenPattern[]> {
  const recorded: WrittenPattern[] = [];
  const Native = globalThis.RegExp;
  globalThis.RegExp = new Proxy(Native, {
    construct(target, args: [string | RegExp, string?], newTarget) {
      const pattern = Reflect.construct(target, args, newTarget) as RegExp;
      recorded.push({ source: pattern.source, flags: pattern.flags });
      return pattern;
    },
  });
  try {
    await load();
  } finally {
    globalThis.RegExp = Native;
  }
  return recorded;
}
