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
  return Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
}
