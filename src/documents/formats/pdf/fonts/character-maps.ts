import { encodedCharacters } from "./encoded-characters.ts";
import type { Code } from "./encoded-characters.ts";
import { glyphsOf } from "./glyph-collections.ts";

/**
 * Predefined CMaps (ISO 32000-2, §9.7.5.2) name legacy encodings of Chinese, Japanese and Korean.
 * The real ones lead to glyph numbers of a vendor's collection, and a second table from there to
 * Unicode. Nothing is drawn here, so both are made up: codes lead to numbers above the real
 * collections', given to a collection's characters in order, and from there to Unicode. Fonts that
 * are coded by the collection's own numbers find these there as well.
 */
const FIRST_NUMBER = 0x7800;
const RANGES_A_BLOCK = 100;

type Collection = { encodings: string[]; cmaps: [RegExp, string][] };

const COLLECTIONS: Record<string, Collection> = {
  Japan1: {
    encodings: ["shift_jis", "euc-jp"],
    cmaps: [
      [/RKSJ/, "shift_jis"],
      [/EUC/, "euc-jp"],
      [/^(H|V|Ext|Add|78|UniJIS)\b/, "euc-jp"],
    ],
  },
  GB1: { encodings: ["gb18030"], cmaps: [[/^(GB|UniGB)/, "gb18030"]] },
  CNS1: { encodings: ["big5"], cmaps: [[/B5|ETen|UniCNS/, "big5"]] },
  Korea1: { encodings: ["euc-kr"], cmaps: [[/^(KSC|UniKS)/, "euc-kr"]] },
};

type Range = { low: number; high: number; target: number; bytes: number };

const cache = new Map<string, string>();

/** The text of a CMap by its name. @throws Error for those that are not known. */
export function characterMap(name: string): string {
  const known = cache.get(name) ?? makeMap(name);
  cache.set(name, known);
  return known;
}

function makeMap(name: string): string {
  const toUnicode = /^Adobe-(\w+)-UCS2$/.exec(name)?.[1];
  if (toUnicode !== undefined) {
    const codes = [...numbersOf(toUnicode)].map(([character, code]) => ({
      code,
      bytes: 2,
      character,
    }));
    return cmapText(
      name,
      rangesOf([...realNumbers(toUnicode), ...codes], (character) => character.charCodeAt(0)),
      "bf",
    );
  }
  for (const [collection, { cmaps }] of Object.entries(COLLECTIONS)) {
    const encoding = cmaps.find(([pattern]) => pattern.test(name))?.[1];
    if (encoding === undefined) continue;
    const numbers = numbersOf(collection);
    const codes = codesOf(name, encoding, numbers);
    return cmapText(
      name,
      rangesOf(codes, (character) => numbers.get(character) ?? null),
      "cid",
    );
  }
  throw new Error(`unknown CMap ${name}`);
}

/** Unknown glyphs are shown as such, for pdf.js would take their numbers for characters. */
function realNumbers(collection: string): Code[] {
  const glyphs = glyphsOf(collection);
  return Array.from({ length: FIRST_NUMBER - 1 }, (_unused, at) => ({
    code: at + 1,
    bytes: 2,
    character: glyphs.get(at + 1) ?? "\ufffd",
  }));
}

const collections = new Map<string, Map<string, number>>();

/** All characters of a collection's encodings, numbered. */
function numbersOf(collection: string): Map<string, number> {
  const known = collections.get(collection);
  if (known !== undefined) return known;
  const characters = new Set<string>();
  for (const encoding of COLLECTIONS[collection]?.encodings ?? []) {
    for (const { character } of encodedCharacters(encoding)) characters.add(character);
  }
  const sorted = [...characters].sort();
  const numbers = new Map(sorted.map((character, at) => [character, FIRST_NUMBER + at]));
  collections.set(collection, numbers);
  return numbers;
}

/** Codes as the CMap's name says: Unicode, rows and cells without high bits, or as encoded. */
function codesOf(name: string, encoding: string, numbers: Map<string, number>): Code[] {
  if (name.startsWith("Uni")) {
    const characters = [...numbers.keys()];
    return characters.map((character) => ({ code: character.charCodeAt(0), bytes: 2, character }));
  }
  const encoded = [...encodedCharacters(encoding)];
  const isSevenBit = /^(H|V|Ext-[HV]|Add-[HV]|78-[HV]|GB-[HV]|GBT-[HV]|KSC-[HV])$/.test(name);
  if (!isSevenBit) return encoded;
  const wide = encoded.filter(({ code, bytes }) => bytes === 2 && (code & 0x8080) === 0x8080);
  return wide.map(({ code, bytes, character }) => ({ code: code & 0x7f7f, bytes, character }));
}

/** Runs of codes whose targets follow each other too; a run ends with its last byte. */
function rangesOf(codes: Code[], targetOf: (character: string) => number | null): Range[] {
  const ranges: Range[] = [];
  for (const { code, bytes, character } of codes.toSorted(
    (a, b) => a.bytes - b.bytes || a.code - b.code,
  )) {
    const target = targetOf(character);
    if (target === null) continue;
    const last = ranges.at(-1);
    const follows =
      last?.bytes === bytes &&
      last.high + 1 === code &&
      code >> 8 === last.low >> 8 &&
      last.target + (code - last.low) === target;
    if (follows) last.high = code;
    else ranges.push({ low: code, high: code, target, bytes });
  }
  return ranges;
}

/** Ranges of lead bytes that begin characters of two bytes. */
function codeSpaces(ranges: Range[]): string[] {
  const hex = (value: number, bytes: number) => `<${value.toString(16).padStart(bytes * 2, "0")}>`;
  const single = ranges.filter(({ bytes }) => bytes === 1);
  const leads = [...new Set(ranges.filter(({ bytes }) => bytes === 2).map(({ low }) => low >> 8))];
  const runs: [number, number][] = [];
  for (const lead of leads) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] + 1 === lead) last[1] = lead;
    else runs.push([lead, lead]);
  }
  return [
    ...single.map(({ low, high }) => `${hex(low, 1)} ${hex(high, 1)}`),
    ...runs.map(([first, last]) => `${hex(first << 8, 2)} ${hex((last << 8) | 0xff, 2)}`),
  ];
}

function cmapText(name: string, ranges: Range[], kind: "cid" | "bf"): string {
  const hex = (value: number, bytes: number) => `<${value.toString(16).padStart(bytes * 2, "0")}>`;
  const spaces = codeSpaces(ranges);
  const isVertical = name.endsWith("-V") || name === "V";
  const lines = [
    "/CIDInit /ProcSet findresource begin 12 dict begin begincmap",
    `/CMapName /${name} def /WMode ${isVertical ? 1 : 0} def`,
    `${spaces.length} begincodespacerange`,
    ...spaces,
    "endcodespacerange",
  ];
  for (let at = 0; at < ranges.length; at += RANGES_A_BLOCK) {
    const block = ranges.slice(at, at + RANGES_A_BLOCK);
    lines.push(`${block.length} begin${kind}range`);
    for (const { low, high, target, bytes } of block) {
      const to = kind === "bf" ? hex(target, 2) : String(target);
      lines.push(`${hex(low, bytes)} ${hex(high, bytes)} ${to}`);
    }
    lines.push(`end${kind}range`);
  }
  return [...lines, "endcmap end end"].join("\n");
}
