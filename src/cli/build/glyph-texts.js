/* global getUnicodeForGlyph -- of pdf.js */
const MAX_CODE = 0x10_ff_ff;

/**
 * The text of a glyph that is a variant of others or joins them, such as "one.oldstyle" or
 * "f_f_i.alt"; "" for other names
 * (https://github.com/adobe-type-tools/agl-specification#2-the-mapping).
 * @param {string} name
 * @param {Record<string, number>} glyphs
 */
// oxlint-disable-next-line no-unused-vars -- called by pdf.js
function textOfVariant(name, glyphs) {
  if (!/^[^._]+[._]/.test(name)) return "";
  const [base = ""] = name.split(".");
  const codes = base.split("_").map((part) => getUnicodeForGlyph(part, glyphs));
  const isText = codes.every((code) => code > 0 && code <= MAX_CODE);
  return isText ? codes.map((code) => String.fromCodePoint(code)).join("") : "";
}
