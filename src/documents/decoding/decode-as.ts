import type { CooperativeWork } from "../../core/work/cooperative.ts";

/** Code pages of DOS (https://www.unicode.org/Public/MAPPINGS/VENDORS/MICSFT/PC/); no decoder has it. */
const UPPER_HALVES = new Map(
  [
    "ibm850 ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0",
    "ibm437 ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0",
  ].map((line) => {
    const upper = line.slice(7);
    return [line.slice(0, 6), (byte: string) => upper.charAt(byte.charCodeAt(0) - 0x80)];
  }),
);
const latin1Of = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
const PART_BYTES = 1 << 18;
/** In characters: the slowest encoding takes some milliseconds for a part. */
const PART_COST = 1 << 13;

/**
 * `isCut`: the bytes may end within a character. `isLenient`: what the encoding does not decode is
 * replaced; otherwise null for bytes that are not in it. @throws RangeError for an unknown encoding
 */
export function* decodeAs(
  bytes: Uint8Array,
  encoding: string,
  { isCut = false, isLenient = false } = {},
): CooperativeWork<string | null> {
  const upper = UPPER_HALVES.get(encoding);
  const decoder =
    upper === undefined
      ? new TextDecoder(encoding, { fatal: !isLenient, ignoreBOM: false })
      : {
          decode: (part: Uint8Array, _options: object) =>
            latin1Of(part).replace(/[\x80-\xff]/g, upper),
        };
  // Valid UTF-8 is decoded quickly, and its parts and the whole would be in memory at once.
  const step = encoding === "utf-8" && !isLenient ? bytes.length : PART_BYTES;
  const parts: string[] = [];
  try {
    for (let at = 0; at < bytes.length; at += step) {
      const stream = isCut || at + step < bytes.length;
      parts.push(decoder.decode(bytes.subarray(at, at + step), { stream }));
      yield PART_COST;
    }
  } catch {
    return null;
  }
  return parts.join("");
}
