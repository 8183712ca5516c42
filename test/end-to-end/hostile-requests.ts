/** Calls that would hold a server for minutes if their work had no bound: each ends as a 502. */
export type HostileCall = {
  what: string;
  /** Body for an inference without RAGs on the embedded model. */
  body: Record<string, unknown>;
  error: RegExp;
};

const root = { $ref: "#" };
const names = ["a", "b", "c", "d"];
const required = Array.from({ length: 6_000 }, (_, at) => `n${at}`);
const asking = (schema: unknown, prompt = "How long is the leave?") => ({
  prompt,
  jsonSchema: JSON.stringify(schema),
});

export const HOSTILE_CALLS: HostileCall[] = [
  {
    what: "a pattern with nested repeats that no word matches",
    body: asking(
      {
        type: "object",
        required: ["a"],
        properties: { a: { type: "string", pattern: "^(a+)+!$" } },
      },
      "a".repeat(90_000),
    ),
    error: /no sentence that gives a value for \\"a\\"|too many steps/,
  },
  {
    what: "thousands of required names over a long text",
    body: asking({ type: "object", required }, "Leave is due. ".repeat(45_000)),
    error: /too many steps/,
  },
  {
    what: "a schema that grows fourfold at each level",
    body: asking(
      {
        type: "object",
        required: names,
        properties: Object.fromEntries(names.map((name) => [name, root])),
      },
      "Leave is due. ".repeat(45_000),
    ),
    error: /found no sentence/,
  },
];

/** A prompt of 650 KB: an answer, and soon. */
export const LONG_PROMPT = `How long is the leave? ${"Leave is thirty days. ".repeat(29_500)}`;
