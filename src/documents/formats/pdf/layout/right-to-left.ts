import { normalForm } from "../../../../core/normal-form.ts";
import { runsOf } from "./page-rows.ts";
import type { Piece } from "./segment.ts";

type Direction = "left" | "right" | "number" | "neutral";

const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const LETTER = /\p{L}/u;
const RIGHT_LETTERS =
  /(?=[\p{L}\p{M}])[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/gu;
const LEFT_LETTERS =
  /(?![\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}])\p{L}/gu;
/** In ems. */
const WORD_GAP = 0.13;

export const isRightToLeft = (text: string) => RIGHT_TO_LEFT.test(text);

/** Arabic letter forms within words, and ligatures; the marks among them come with a space. */
const ARABIC_SHAPES = /[\ufb50-\ufdff\ufe70-\ufefc]/g;

export const normalizeShapes = (text: string) =>
  text.replace(ARABIC_SHAPES, (shape) => normalForm(shape, "NFKC").replace(/^ /, ""));

/** Writers draw Arabic and Hebrew from either side: reverses UAX 9, one level. `size`: points. */
export function readingOrder(pieces: Piece[], size: number): string {
  const line = insertSpaces(
    pieces.toSorted((a, b) => a.x0 - b.x0),
    size,
  );
  const base = baseOf(pieces);
  const runs = runsOf(directPieces(line, base), (each, [first]) => each.isRight === first.isRight);
  if (base === "right") runs.reverse();
  const texts = runs.flatMap((run) => (run[0]?.isRight === true ? run.toReversed() : run));
  return texts
    .map(({ text }) => text)
    .join("")
    .replace(/ {2,}/g, " ");
}

function insertSpaces(sorted: Piece[], size: number): Piece[] {
  return sorted.flatMap((piece, at) => {
    const before = sorted[at - 1];
    const isApart = before !== undefined && piece.x0 - before.x1 > size * WORD_GAP;
    return isApart ? [{ ...piece, text: " ", x0: before.x1, x1: piece.x0 }, piece] : [piece];
  });
}

function directionOf(text: string): Direction {
  const { right, left } = lettersOf(text);
  if (right > left) return "right";
  if (left > 0) return "left";
  return /\p{N}/u.test(text) ? "number" : "neutral";
}

const lettersOf = (text: string) => ({
  right: text.match(RIGHT_LETTERS)?.length ?? 0,
  left: text.match(LEFT_LETTERS)?.length ?? 0,
});

/** The direction of most letters; on a tie, that of the first drawn. */
function baseOf(pieces: Piece[]): "left" | "right" {
  let [right, left] = [0, 0];
  for (const { text } of pieces) {
    const letters = lettersOf(text);
    right += letters.right;
    left += letters.left;
  }
  if (right !== left) return right > left ? "right" : "left";
  const drawn = pieces.toSorted((a, b) => a.order - b.order);
  const first = drawn.find(({ text }) => LETTER.test(text))?.text ?? "";
  return isRightToLeft(LETTER.exec(first)?.[0] ?? "") ? "right" : "left";
}

/** The pieces of a line, and whether each runs to the left. */
function directPieces(line: Piece[], base: "left" | "right") {
  const directions = line.map(({ text }) => directionOf(text));
  const against = base === "right" ? ["left", "number"] : ["right"];
  const isAgainst = directions.map((direction) => against.includes(direction));
  return line.map(({ text }, at) => {
    const isWithin =
      isAgainst[at] === true ||
      (isWeak(directions[at], base) && isBetween(directions, isAgainst, at, base));
    return { text, isRight: isWithin !== (base === "right") };
  });
}

const isWeak = (direction: Direction | undefined, base: "left" | "right") =>
  direction === "neutral" || (base === "left" && direction === "number");

function isBetween(
  directions: Direction[],
  isAgainst: boolean[],
  at: number,
  base: "left" | "right",
): boolean {
  let before = at - 1;
  while (before >= 0 && isWeak(directions[before], base)) before--;
  let after = at + 1;
  while (after < directions.length && isWeak(directions[after], base)) after++;
  return isAgainst[before] === true && isAgainst[after] === true;
}
