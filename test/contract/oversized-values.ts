/** A field's value that is too deep, too long, too many, or of a type that was not asked for. */
export type OversizedValue = {
  what: string;
  /** As it is written into a body. */
  json: () => string;
};

const MIB = 1_000_000;
const MANY = 300_000;

/** As large as a body may be, so that the body's own limit does not stand before the field's. */
export const OVERSIZED_VALUES: OversizedValue[] = [
  { what: "depth", json: () => `${"[".repeat(200_000)}${"]".repeat(200_000)}` },
  { what: "nested objects", json: () => `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}` },
  { what: "depth within a text", json: () => JSON.stringify("[".repeat(60_000)) },
  { what: "words", json: () => JSON.stringify("word ".repeat(MIB / 5)) },
  { what: "one long word", json: () => JSON.stringify("a".repeat(MIB)) },
  { what: "slashes", json: () => JSON.stringify(`${"/".repeat(MIB)}x`) },
  { what: "steps upwards", json: () => JSON.stringify("../".repeat(MIB / 3)) },
  { what: "blanks", json: () => JSON.stringify(`x${" ".repeat(MIB)}x`) },
  { what: "hyphens", json: () => JSON.stringify(`a${"-".repeat(MIB)}`) },
  {
    what: "an address without end",
    json: () => JSON.stringify(`https://x.test/${"%".repeat(MIB)}`),
  },
  { what: "letters that unfold", json: () => JSON.stringify("\ufdfa".repeat(MIB / 4)) },
  { what: "marks on one letter", json: () => JSON.stringify(`e${"\u0301".repeat(MIB / 3)}`) },
  { what: "a text of 4,000", json: () => JSON.stringify("x".repeat(4_000)) },
  { what: "empty texts", json: () => `[${'"",'.repeat(MANY)}""]` },
  { what: "numbers", json: () => `[${"1,".repeat(MANY)}1]` },
  { what: "objects", json: () => `[${"{},".repeat(MANY)}{}]` },
  { what: "20,000 objects", json: () => `[${"{},".repeat(19_000)}{}]` },
  { what: "10,000 texts", json: () => JSON.stringify(Array.from({ length: 10_000 }, textOf)) },
  { what: "names", json: () => JSON.stringify(Object.fromEntries(pairs(40_000))) },
  { what: "a huge number", json: () => "1e400" },
  { what: "a long number", json: () => "9".repeat(10_000) },
  { what: "below zero", json: () => "-1" },
  { what: "a fraction", json: () => "0.5" },
  { what: "lone surrogates", json: () => JSON.stringify("\ud800\udfff\ud800".repeat(1_000)) },
  { what: "nulls in a text", json: () => JSON.stringify("a\u0000b") },
  { what: "inherited names", json: () => '{"__proto__":{"a":1},"constructor":{"prototype":1}}' },
  { what: "nothing", json: () => "null" },
  { what: "a truth", json: () => "true" },
  { what: "the last day", json: () => '"+275760-09-13T00:00:00.000Z"' },
];

const textOf = (_: unknown, at: number) => `text ${at}`;
const pairs = (length: number) => Array.from({ length }, (_, at) => [`name${at}`, at]);

/** Words for an address or a header, as long as servers take these. */
export const OVERSIZED_WORDS: [what: string, word: string][] = [
  ["a long word", "a".repeat(12_000)],
  ["slashes", "/".repeat(12_000)],
  ["steps upwards", "../".repeat(4_000)],
  ["blanks", `x${" ".repeat(12_000)}x`],
  ["letters that unfold", "\ufdfa".repeat(1_300)],
  ["depth", "[".repeat(12_000)],
  ["a null", "a\u0000b"],
  ["a huge number", "1e400"],
  ["a long number", "9".repeat(10_000)],
  ["below zero", "-1"],
  ["nothing", ""],
  ["the last day", "+275760-09-13"],
  ["wildcards", "%_*?".repeat(3_000)],
];
