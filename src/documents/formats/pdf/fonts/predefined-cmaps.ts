/**
 * Predefined CMaps (ISO 32000-2, §9.7.5.2) for pdf.js: legacy Chinese, Japanese and Korean
 * encodings, and maps from a collection's glyph numbers (CIDs) to Unicode. A collection is loaded
 * when a document names one of its CMaps. The build writes them from pdfjs-dist.
 */
type Cmaps = Record<string, string>;

const COLLECTIONS: [RegExp, () => Promise<{ CMAPS: Cmaps }>][] = [
  [/^(?:Adobe-GB1|UniGB|GB)/, () => import("#character-maps/gb1")],
  [/^(?:Adobe-CNS1|UniCNS|CNS|B5|ET|HK)/, () => import("#character-maps/cns1")],
  [/^(?:Adobe-Korea1|UniKS|KSC)/, () => import("#character-maps/korea1")],
  [/^/, () => import("#character-maps/japan1")],
];

/** The CMap in pdf.js's binary form; null if it is not included. */
export async function predefinedCmap(name: string): Promise<Uint8Array | null> {
  const load = COLLECTIONS.find(([pattern]) => pattern.test(name))?.[1];
  const maps = new Map(Object.entries((await load?.())?.CMAPS ?? {}));
  const base64 = maps.get(name);
  if (base64 === undefined) return null;
  const cmap = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
  return name.endsWith("-UCS2") && name.startsWith("Adobe-") ? withUnknownGlyphs(cmap) : cmap;
}

const GLYPHS = 0x7fff;
/** In the binary form: a run of `bfchar` with two-byte codes from 1, each mapped to U+FFFD. */
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

/** Maps glyphs without a character to U+FFFD: pdf.js would take their numbers for characters. */
function withUnknownGlyphs(cmap: Uint8Array): Uint8Array {
  const whole = new Uint8Array(cmap.length + RUN.length + GLYPHS - 1).fill(SAME_AGAIN);
  whole.set(cmap.subarray(0, 1));
  whole.set(RUN, 1);
  whole.set(cmap.subarray(1), 1 + RUN.length + GLYPHS - 1);
  return whole;
}
