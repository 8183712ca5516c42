/** A table from pairs of a hexadecimal code and its character, such as `22∀`. */
const parseCodes = (pairs: string) =>
  new Map(pairs.split(" ").map((pair) => [Number.parseInt(pair, 16), pair.slice(2)] as const));

const GREEK_CAPITALS = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ";
const GREEK_LETTERS = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ";
const SYMBOL = parseCodes(
  "22∀ 24∃ 27∋ 2a∗ 2d− 40≅ 5c∴ 5e⊥ 7e∼ a2′ a3≤ a5∞ ab↔ ac← ad↑ ae→ af↓ b0° b1± b2″ b3≥ b4× b5∝ b6∂ b7• b8÷ b9≠ ba≡ bb≈ bc… c4⊗ c5⊕ c6∅ c7∩ c8∪ cc⊂ cd⊆ ce∈ cf∉ d0∠ d1∇ d2® d3© d4™ d5∏ d6√ d7⋅ d8¬ d9∧ da∨ db⇔ dc⇐ de⇒ e5∑ f2∫",
);
const WINGDINGS = parseCodes(
  "28☎ 2a✉ 4a☺ 6c● 6e■ 6f☐ 71❑ 72❒ 75◆ 77⬥ 9f• a7▪ a8☐ d8➢ df← e0→ e8➔ ef⇦ f0⇨ fb✗ fc✓ fd☒ fe☑",
);
const PRIVATE_AREA = 0xf000;
const CODE_MASK = 0xff;

/** The character that a symbol font draws for a code; null if it means nothing to a reader. */
export function symbolCharacter(font: string, code: number): string | null {
  const low = code & CODE_MASK;
  if (/^symbol/i.test(font)) return symbolOf(low);
  if (/^wingdings$/i.test(font)) return WINGDINGS.get(low) ?? null;
  const isPrivate = code >= PRIVATE_AREA && code <= PRIVATE_AREA + CODE_MASK;
  return isPrivate || !Number.isFinite(code) || code > 0x10_ff_ff
    ? null
    : String.fromCodePoint(code);
}

function symbolOf(code: number): string | null {
  if (code >= 0x41 && code <= 0x5a) return GREEK_CAPITALS[code - 0x41] ?? null;
  if (code >= 0x61 && code <= 0x7a) return GREEK_LETTERS[code - 0x61] ?? null;
  return SYMBOL.get(code) ?? (code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : null);
}
