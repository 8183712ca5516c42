/** Calls that would hold a server for minutes if their work had no bound, and how each must end. */
export type HostileCall = {
  what: string;
  /** Of an inference without RAGs on the embedded model. */
  body: Record<string, unknown>;
  status: number;
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
    what: "references in a circle",
    body: asking({ type: "object", anyOf: [root, root, root] }),
    status: 400,
    error: /jsonSchema has a \$ref that leads back to itself/,
  },
  {
    what: "a schema of 200 KB",
    body: asking({ type: "object", title: "x".repeat(200_000) }),
    status: 400,
    error: /jsonSchema must be at most 64 KiB/,
  },
  {
    what: "a pattern that refers back",
    body: asking({ type: "object", properties: { a: { pattern: String.raw`^(a+)\1+$` } } }),
    status: 400,
    error: /refers back to a group/,
  },
  {
    what: "a bound of draft 4",
    body: asking({ type: "object", properties: { a: { exclusiveMinimum: true } } }),
    status: 400,
    error: /#\/properties\/a\/exclusiveMinimum/,
  },
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
    status: 502,
    error: /no sentence that gives a value for \\"a\\"|too many steps/,
  },
  {
    what: "thousands of required names over a long text",
    body: asking({ type: "object", required }, "Leave is due. ".repeat(45_000)),
    status: 502,
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
    status: 502,
    error: /found no sentence/,
  },
  {
    what: "a field of 300,000 wrong entries",
    body: { prompt: "Hello", semanticSearch: Array.from({ length: 300_000 }, () => 0) },
    status: 400,
    error: /at most 20000 entries in all its lists/,
  },
];

/** A prompt of 650 KB: an answer, and soon. */
export const LONG_PROMPT = `How long is the leave? ${"Leave is thirty days. ".repeat(29_500)}`;
