import { z } from "zod";

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
function describeBound(
  issue: { origin: string },
  words: "at least" | "at most",
  figure: unknown,
): string {
  const units = { array: "item", string: "character" };
  const unit = Object.entries(units).find(([origin]) => origin === issue.origin)?.[1];
  if (unit === undefined) return `must be ${words} ${String(figure)}`;
  return `must have ${words} ${String(figure)} ${figure === 1 ? unit : `${unit}s`}`;
}

/** Says what is wrong, as the rest of a sentence: "must be at most 100". */
function describeIssue(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined && issue.code !== "custom") return "is required";
  switch (issue.code) {
    case "invalid_type":
      return `must be ${ARTICLES[issue.expected] ?? issue.expected}`;
    case "too_big":
      return describeBound(issue, "at most", issue.maximum);
    case "too_small":
      return describeBound(issue, "at least", issue.minimum);
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "invalid_format":
      return "has the wrong form";
    case "unrecognized_keys":
      return "is not known";
    default:
      return "is not valid";
  }
}

/** The message of every issue to which its schema gives no words of its own. */
z.config({ customError: describeIssue });
