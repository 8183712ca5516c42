import { normalForm } from "../core/normal-form.ts";
import { simplifyCharacters } from "./simplified-characters.ts";

/** Not letters' own marks: kana voicing, vowel signs from Devanagari to Khmer, those of й and ї. */
const MARKS =
  /[\p{M}--[\u0900-\u093b\u093d-\u109f\u1780-\u17ff\u3099\u309a]](?<![\u0438\u0456][\u0306\u0308])/gv;

/**
 * Characters inside words that many writers leave out: soft hyphens, joiners, marks of direction,
 * the Arabic stroke that widens a word, and the marks of Hebrew abbreviations.
 */
const LEFT_OUT =
  /[\u00ad\u0640\u200d-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\u200c(?<=[\u0900-\u0dff].)|["״”](?<=[א-ת].)(?=[א-ת](?![א-ת]))|['׳’](?<=[א-ת].)(?=[א-ת])/g;

/**
 * `Teflon™`, `20㎡`, `1½`, `10⁶` and a note's number are not part of the word that they follow.
 * Looking behind comes second: at every character it takes eight times as long.
 */
const SIGNS =
  /[[\p{So}\p{No}]--[\u00b2\u00b3\u00b9\u2070-\u209f]]|[\u00b2\u00b3\u00b9\u2070-\u2079](?<=\p{L}{4}.|\p{Nd}.)[\u00b2\u00b3\u00b9\u2070-\u2079]*/gv;

/** Digits of other scripts: those of most begin at a multiple of 16, those of India six later. */
const DIGITS = /[\p{Nd}&&[\u0660-\u17e9]]/gv;
const INDIAN = /[\u0900-\u0dff]/;
const LAST_FOUR_BITS = 0xf;

function digitOf(character: string): string {
  const place = character.charCodeAt(0) & LAST_FOUR_BITS;
  return String(INDIAN.test(character) ? place - 6 : place);
}

export const withAsciiDigits = (text: string): string => text.replace(DIGITS, digitOf);

/** Searched as hiragana: people write `ラーメン` and `らーめん`. */
const KATAKANA = /[\u30a1-\u30f6\u30fd\u30fe]/g;
const FROM_HIRAGANA = 0x60;

/** A nasal before a consonant of its class, which Hindi also writes as a dot. */
const NASALS = /ङ्(?=[क-घ])|ञ्(?=[च-झ])|ण्(?=[ट-ढ])|न्(?=[त-ध])|म्(?=[प-भ])|ँ/g;
const NASAL_DOT = "ं";

/** Letters that Unicode does not take apart, and what people write in their place. */
const WRITTEN_AS: Record<string, string> = {
  œ: "oe",
  æ: "ae",
  ß: "ss",
  þ: "th",
  ð: "d",
  đ: "d",
  ł: "l",
  ø: "o",
  ı: "i",
  // The ʻokina, and half rings of transliterations.
  ʻ: "",
  ʾ: "",
  ʿ: "",
  // Keyboards of Arabic, Persian and Urdu have different letters for the same.
  ٱ: "ا",
  ک: "ك",
  ی: "ي",
  ى: "ي",
  ہ: "ه",
  ھ: "ه",
  ە: "ه",
};
const UNDIVIDED = new RegExp(`[${Object.keys(WRITTEN_AS).join("")}]`, "g");

/** A text in the spelling by which its words are compared, for the tokens of `words.ts`. */
export function foldedText(text: string): string {
  const apart = text.replace(LEFT_OUT, "").replace(SIGNS, " $& ");
  // Unfolding can make capitals and lower-casing can make marks, hence this order.
  const plain = normalForm(normalForm(apart, "NFKD").toLowerCase().replace(MARKS, ""), "NFC");
  return withAsciiDigits(simplifyCharacters(plain))
    .replace(UNDIVIDED, (letter) => WRITTEN_AS[letter] ?? letter)
    .replace(NASALS, NASAL_DOT)
    .replace(KATAKANA, (kana) => String.fromCharCode(kana.charCodeAt(0) - FROM_HIRAGANA));
}
