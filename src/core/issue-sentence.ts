import type { z } from "zod";

const ARTICLES: Record<string, string> = {
  int: "an integer",
  number: "a number",
  string: "a string",
  boolean: "a boolean",
  array: "an array",
  object: "an object",
  record: "an object",
};

/** The unit of a bound: items, characters, or the value itself. */
function bound(issue: { origin: string }, words: "at least" | "at most", figure: unknown): string {
  if (issue.origin === "array") return `must have ${words} ${String(figure)} ${items(figure)}`;
  if (issue.origin === "string") return `must have ${words} ${String(figure)} ${chars(figure)}`;
  return `must be ${words} ${String(figure)}`;
}
const items = (figure: unknown) => (figure === 1 ? "item" : "items");
const chars = (figure: unknown) => (figure === 1 ? "character" : "characters");

/** The beginnings of zod's own messages; a schema's own messages are more specific. */
const STOCK_MESSAGE = /^(Invalid|Too (big|small))/;

/** One issue in plain words, in the form "topK must be at most 100". */
export function sentenceOf(issue: z.core.$ZodIssue): string {
  if (!STOCK_MESSAGE.test(issue.message)) return issue.message;
  switch (issue.code) {
    case "invalid_type":
      return `must be ${ARTICLES[issue.expected] ?? issue.expected}`;
    case "too_big":
      return bound(issue, "at most", issue.maximum);
    case "too_small":
      return bound(issue, "at least", issue.minimum);
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "invalid_format":
      return "has the wrong form";
    default:
      return "is not valid";
  }
}
