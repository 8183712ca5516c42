/**
 * Predefined CMaps (ISO 32000-2, §9.7.5.2) as pdf.js asks for them: legacy encodings of Chinese,
 * Japanese and Korean, and the way from a collection's glyph numbers (CIDs) to Unicode. They are
 * loaded a collection at a time, when a document names one.
 */
type Cmaps = Record<string, string>;

const COLLECTIONS: [RegExp, () => Promise<{ CMAPS: Cmaps }>][] = [
  [/^(?:Adobe-GB1|UniGB|GB)/, () => import("./cmaps/gb1.ts")],
  [/^(?:Adobe-CNS1|UniCNS|CNS|B5|ET|HK)/, () => import("./cmaps/cns1.ts")],
  [/^(?:Adobe-Korea1|UniKS|KSC)/, () => import("./cmaps/korea1.ts")],
  [/^/, () => import("./cmaps/japan1.ts")],
];

/** The CMap in pdf.js's binary form; null for one that is not had. */
export async function predefinedCmap(name: string): Promise<Uint8Array | null> {
  const load = COLLECTIONS.find(([pattern]) => pattern.test(name))?.[1];
  const maps = new Map(Object.entries((await load?.())?.CMAPS ?? {}));
  const base64 = maps.get(name);
  if (base64 === undefined) return null;
  const cmap = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
  return name.endsWith("-UCS2") && name.startsWith("Adobe-") ? withUnknownGlyphs(cmap) : cmap;
}

/** Those of these names that are not had, and with which text cannot be read. */
export async function unknownCmaps(names: Iterable<string>): Promise<Set<string>> {
  const unknown = new Set<string>();
  for (const name of names) {
    const isKnown = /^Identity-[HV]$/.test(name) || (await predefinedCmap(name)) !== null;
    if (!isKnown) unknown.add(name);
  }
  return unknown;
}

/** More than any collection has glyphs. */
const GLYPHS = 0x7fff;
/** In the binary form: a run of `bfchar`, two bytes each, from code 1, each U+FFFD. */
const RUN = [
  (4 << 5) | 0x10 | 1,
  0x80 | (GLYPHS >> 14),
  0x80 | ((GLYPHS >> 7) & 0x7f),
  GLYPHS & 0x7f,
  0x00,
  0x01,
  0xff,
  0xfd,
];
const SAME_AGAIN = 0x01;

/** Glyphs without a character are shown as such: pdf.js would take their numbers for characters. */
function withUnknownGlyphs(cmap: Uint8Array): Uint8Array {
  const whole = new Uint8Array(cmap.length + RUN.length + GLYPHS - 1).fill(SAME_AGAIN);
  whole.set(cmap.subarray(0, 1));
  whole.set(RUN, 1);
  whole.set(cmap.subarray(1), 1 + RUN.length + GLYPHS - 1);
  return whole;
}
