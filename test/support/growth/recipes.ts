import { Dice } from "../dice.ts";

/** A repetitive text: its parts in turn, or all of each after all of the one before. */
export type Recipe = {
  parts: string[];
  order: "turns" | "blocks";
  before?: string;
  after?: string;
};

export function textOf({ parts, order, before = "", after = "" }: Recipe, size: number): string {
  const repeated = (part: string, length: number) =>
    part.repeat(Math.max(1, Math.ceil(length / part.length)));
  const text =
    order === "turns"
      ? repeated(parts.join(""), size)
      : parts.map((part) => repeated(part, size / parts.length)).join("");
  return before + text + after;
}

export const turns = (...parts: string[]): Recipe => ({ parts, order: "turns" });
export const within = (before: string, after: string, ...parts: string[]): Recipe => ({
  ...turns(...parts),
  before,
  after,
});

/** Pairs and triples of a grammar's tokens, a third of them within one of its frames. */
export function recipesOf(
  tokens: readonly string[],
  frames: readonly [string, string][],
  count: number,
  seed: number,
): Recipe[] {
  const dice = new Dice(seed);
  return Array.from({ length: count }, () => {
    const parts = Array.from({ length: 1 + dice.roll(3) }, () => dice.pick(tokens));
    const order = dice.chance(0.6) ? "turns" : "blocks";
    const isFramed = frames.length > 0 && dice.chance(0.4);
    const [before, after] = isFramed ? dice.pick(frames) : ["", ""];
    return { parts, order, before, after };
  });
}
