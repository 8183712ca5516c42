import { ideographScore, type IdeographRules } from "./character-scores.ts";

const HAN = /\p{Script=Han}/u;
export const HANGUL = /[\uac00-\ud7a3]/u;

/** Encodings of these lead bytes have common characters with a second byte beyond ASCII alone. */
const FIRST_OF_EUC = 0xb0;

export type LeadBytes = [first: number, last: number];

/** Common characters: a standard's first level, of Korean all syllables of KS X 1001. */
export function ideographs(
  encoding: string,
  leads: LeadBytes,
  rules: Omit<IdeographRules, "common">,
) {
  let score: ((text: string) => number) | null = null;
  return (text: string) => {
    const script = rules.needed === HANGUL ? HANGUL : HAN;
    score ??= ideographScore({ ...rules, common: commonOf(encoding, leads, script) });
    return score(text);
  };
}

/** The characters of a range of lead bytes, listed by decoding them all. */
function commonOf(encoding: string, [firstLead, lastLead]: LeadBytes, script: RegExp): RegExp {
  const decoder = new TextDecoder(encoding);
  const characters = new Set<string>();
  for (let lead = firstLead; lead <= lastLead; lead++) {
    const row: number[] = [];
    for (let trail = firstLead >= FIRST_OF_EUC ? 0xa1 : 0x40; trail <= 0xfe; trail++)
      if (trail !== 0x7f) row.push(lead, trail, 0x0a);
    for (const character of decoder.decode(Uint8Array.from(row))) {
      if (script.test(character)) characters.add(character);
    }
  }
  return new RegExp(`[${[...characters].join("")}\\u3041-\\u309e\\u30a1-\\u30fe]`, "u");
}
