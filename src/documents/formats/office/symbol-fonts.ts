const GREEK_CAPITALS = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ";
const GREEK_LETTERS = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ";
/** Codes of Adobe's Symbol encoding other than Greek letters and ASCII. */
const SYMBOL: Record<number, string> = {
  0x22: "∀",
  0x24: "∃",
  0x27: "∋",
  0x2a: "∗",
  0x2d: "−",
  0x40: "≅",
  0x5c: "∴",
  0x5e: "⊥",
  0x7e: "∼",
  0xa2: "′",
  0xa3: "≤",
  0xa5: "∞",
  0xab: "↔",
  0xac: "←",
  0xad: "↑",
  0xae: "→",
  0xaf: "↓",
  0xb0: "°",
  0xb1: "±",
  0xb2: "″",
  0xb3: "≥",
  0xb4: "×",
  0xb5: "∝",
  0xb6: "∂",
  0xb7: "•",
  0xb8: "÷",
  0xb9: "≠",
  0xba: "≡",
  0xbb: "≈",
  0xbc: "…",
  0xc4: "⊗",
  0xc5: "⊕",
  0xc6: "∅",
  0xc7: "∩",
  0xc8: "∪",
  0xcc: "⊂",
  0xcd: "⊆",
  0xce: "∈",
  0xcf: "∉",
  0xd0: "∠",
  0xd1: "∇",
  0xd2: "®",
  0xd3: "©",
  0xd4: "™",
  0xd5: "∏",
  0xd6: "√",
  0xd7: "⋅",
  0xd8: "¬",
  0xd9: "∧",
  0xda: "∨",
  0xdb: "⇔",
  0xdc: "⇐",
  0xde: "⇒",
  0xe5: "∑",
  0xf2: "∫",
};
/** The Wingdings characters that forms and lists use. */
const WINGDINGS: Record<number, string> = {
  0x28: "☎",
  0x2a: "✉",
  0x4a: "☺",
  0x6c: "●",
  0x6e: "■",
  0x6f: "☐",
  0x71: "❑",
  0x72: "❒",
  0x75: "◆",
  0x77: "⬥",
  0x9f: "•",
  0xa7: "▪",
  0xa8: "☐",
  0xd8: "➢",
  0xdf: "←",
  0xe0: "→",
  0xe8: "➔",
  0xef: "⇦",
  0xf0: "⇨",
  0xfb: "✗",
  0xfc: "✓",
  0xfd: "☒",
  0xfe: "☑",
};
const PRIVATE_AREA = 0xf000;
const CODE_MASK = 0xff;

/** The character that a symbol font draws for a code; null if it means nothing to a reader. */
export function symbolCharacter(font: string, code: number): string | null {
  const low = code & CODE_MASK;
  if (/^symbol/i.test(font)) return symbolOf(low);
  if (/^wingdings$/i.test(font)) return WINGDINGS[low] ?? null;
  const isPrivate = code >= PRIVATE_AREA && code <= PRIVATE_AREA + CODE_MASK;
  return isPrivate || !Number.isFinite(code) || code > 0x10_ff_ff
    ? null
    : String.fromCodePoint(code);
}

function symbolOf(code: number): string | null {
  if (code >= 0x41 && code <= 0x5a) return GREEK_CAPITALS[code - 0x41] ?? null;
  if (code >= 0x61 && code <= 0x7a) return GREEK_LETTERS[code - 0x61] ?? null;
  return SYMBOL[code] ?? (code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : null);
}
