import { stemOf } from "../../../text/stems.ts";
import { pairUnspacedScripts, wordsOf } from "../../../text/words.ts";

/** Forms that a stemmer cannot lead back to their verb or noun. */
const FORMS = `
  added adding:add began begun:begin bought:buy broke broken:break brought:bring built:build chose chosen:choose
  children:child email emails mails:mail cost costs:cost drew drawn:draw drove driven:drive fell fallen:fall felt:feel
  forgot forgotten:forget found:find gave given:give grew grown:grow held:hold hid hidden:hide
  indices indexes:index kept:keep knew known:know left:leave lost:lose made:make meant:mean
  men:man met:meet paid:pay people:person ran:run said:say sent:send shown:show sold:sell
  spent:spend spoke spoken:speak stood:stand stole stolen:steal taught:teach threw thrown:throw
  told:tell took taken:take understood:understand went gone:go women:woman won:win wrote
  written:write`;

/** `began begun:begin`: every form since the last base belongs to the one that follows. */
function basesIn(forms: string): Map<string, string> {
  const bases = new Map<string, string>();
  let waiting: string[] = [];
  for (const entry of forms.trim().split(/\s+/)) {
    const [form = "", base] = entry.split(":");
    waiting.push(form);
    if (base === undefined) continue;
    for (const one of waiting) bases.set(one, base);
    waiting = [];
  }
  return bases;
}

const BASES = basesIn(FORMS);

/** The stem of a word, also of an irregular form. */
export const stemOfForm = (word: string): string => stemOf(BASES.get(word) ?? word);

export function stemsOf(text: string): string[] {
  return wordsOf(pairUnspacedScripts(text)).map(stemOfForm);
}

/** A word that begins as another one may be the same: a compound, or with another ending. */
const PREFIX_LENGTH = 5;
const SHORT_PREFIX = 4;
/** Endings that Porter's stemmer leaves on a short word: `fail` and `failure`. */
const ENDING = /^(?:ur|er|or|ion|ation|ment|abl|al|ing|s|ness|iv|anc|enc|y|i)$/;

export function sharesPrefix(stem: string, term: string): boolean {
  const [shorter, longer] = stem.length < term.length ? [stem, term] : [term, stem];
  if (shorter.length < SHORT_PREFIX || !longer.startsWith(shorter)) return false;
  return shorter.length >= PREFIX_LENGTH || ENDING.test(longer.slice(shorter.length));
}
