import { holdsKind } from "./question.ts";
import type { Question } from "./question.ts";
import type { Sentence } from "./sentences.ts";
import { specialStems } from "./sections.ts";
import { sharesPrefix, stemOfForm } from "./stems.ts";
import { tellingWords } from "../../../text/telling-words.ts";

const KIND_BONUS = 1.25;
const QUESTION_PENALTY = 0.5;
const LINK_PENALTY = 0.4;
/** Words without an end, such as a line of a form: seldom an answer. */
const FRAGMENT_PENALTY = 0.7;
const FRAGMENT_WORDS = 5;
/** So many characters without an end are lines that were run together. */
const RUN_TOGETHER_CHARACTERS = 300;
/** Rules, bars and columns of numbers. */
const DRAWN_CHARACTERS = 100;
const MIN_LETTERS = 0.5;
/** In Latin, Chinese, Japanese, Arabic and Indic scripts. */
const ENDS = /[.!?…:：。！？｡؟۔।॥]["'”’»)\]」』】）]*$/u;
/** With fewer spaces a text is of a script without them, such as Thai, which ends no sentence. */
const MIN_SPACES = 0.05;
/** Passages come in the order of the search. */
const PASSAGE_PRIOR = 0.04;
const POSITION_PRIOR = 0.05;

/** How likely a sentence answers a question of its form, by how it reads and where it stands. */
export function priorOf(sentence: Sentence, question: Question): number {
  const { text, stems, isLink, passage, position, group } = sentence;
  const early = 1 / (1 + PASSAGE_PRIOR * passage) + POSITION_PRIOR / (1 + position);
  const fits = holdsKind(text, question) ? KIND_BONUS : 1;
  const isShort = group.kind === "paragraph" && stems.length < FRAGMENT_WORDS && !ENDS.test(text);
  const isFragment =
    isShort || isRunTogether(sentence) || isCutOff(sentence) || stems.length < MIN_WORDS;
  const penalties = [
    text.endsWith("?") ? QUESTION_PENALTY : 1,
    isFragment ? FRAGMENT_PENALTY : 1,
    isLink ? LINK_PENALTY : 1,
    isBesides(sentence, question) ? BESIDES_PENALTY : 1,
    isOfOtherEntry(sentence, question) ? OTHER_ENTRY_PENALTY : 1,
    formOf(sentence, question),
  ];
  return penalties.reduce((product, one) => product * one, early * fits);
}

const MIN_WORDS = 3;

/** Whether a passage begins with it in the middle of a sentence. */
const isCutOff = ({ text, position, group }: Sentence): boolean =>
  position === 0 && group.kind === "paragraph" && !group.section.isWhole && /^\p{Ll}/u.test(text);

const OTHER_ENTRY_PENALTY = 0.6;

/** `queue.pause()`, `.start()`, `maxAge` */
const IS_CODE = /^[`.]|^[\w.$:]{1,60}\(|^\S{0,60}\p{Ll}\p{Lu}\S{0,60}$/u;

/** Whether a sentence explains something that is called or set, and the question names it not. */
function isOfOtherEntry({ heading, group }: Sentence, { terms }: Question): boolean {
  const { told, isWhole } = group.section;
  if (!isWhole || told.size === 0 || !IS_CODE.test(heading)) return false;
  return !terms.some(({ stem }) => heading.toLowerCase().includes(stem));
}

/** Sections that lead elsewhere or tell how to get the thing, unless the question asks for them. */
const BESIDES_PENALTY = 0.4;
const BESIDES = new Set(
  tellingWords(
    `related sponsor sponsors backers license licence changelog contributing contributors credits
     acknowledgements author authors bugs donate support install installation installing contents`,
  ).map(stemOfForm),
);
const INSTALLS =
  /^[$#>\s]*(?:sudo )?(?:npm|npx|pnpm|yarn|bun|deno|pip3?|apt(?:-get)?|dnf|brew|cargo|go|gem|composer)(?: -\S+)* (?:i|add|get|install|require)\b/;
/** What only makes a module known. */
const IMPORTS =
  /^\s*(?:import\b|(?:const|let|var)\b.*\brequire\(|from \S+ import\b|#include\b|using\b|\/\/|$)/;

function isBesides({ text, group }: Sentence, { terms }: Question): boolean {
  const asked = (stem: string) => terms.some((term) => term.stem === stem);
  const { told } = group.section;
  const [first] = told;
  if (told.size <= 2 && first !== undefined && BESIDES.has(first) && !asked(first)) return true;
  if (group.kind !== "code") return false;
  const lines = text.split("\n");
  const isInstallation = lines.every((line) => INSTALLS.test(line) || line.trim() === "");
  return (isInstallation && !asked(INSTALL_STEM)) || lines.every((line) => IMPORTS.test(line));
}

const INSTALL_STEM = stemOfForm("install");

/** What a sentence is worth that tells how, where the question asks for it, and one that does not. */
const INSTRUCTS_BONUS = 1.25;
const DESCRIBES_PENALTY = 0.65;
const EXPLAINS_BONUS = 1.25;
const CODE_EXPLAINS_PENALTY = 0.7;

/** What a sentence begins with that tells what to do. */
const IMPERATIVE =
  /^(?:(?:first|then|next|now|finally|alternatively|just|simply|please|instead|also),? )?(?:add|append|apply|ask|attach|build|call|change|check|choose|clean|click|compile|configure|connect|copy|create|define|delete|disable|download|edit|enable|ensure|enter|execute|exclude|export|fill|find|get|give|go|import|include|initiali[sz]e|insert|install|invoke|load|make|mark|match|move|name|open|paste|pass|pause|pick|place|plug|press|provide|pull|push|put|read|refer|refill|register|remove|rename|render|replace|reset|restart|return|run|save|scan|see|select|send|set|show|specify|start|stop|store|supply|switch|tap|tell|try|turn|type|unplug|update|upgrade|upload|use|verify|wait|wrap|write)\b/i;
/** … and what it says elsewhere. */
const DIRECTS =
  /\b(?:you(?:'ll| will)? (?:can|could|may|must|should|need|have to|want)|you'll need|can be (?:used|set|done|changed|passed|obtained|configured|enabled|disabled|specified|built)|(?:use|using|used|call|calling|pass|passing|set|setting|run|running|with|via|prefixing) (?:an? |the |it |them )*[\x60"'“‘<-]|by \p{L}+ing|to do (?:so|this|that)|possible to|(?:is|are|be) \p{L}+(?:ed|en) (?:by|with|using|via|through)|(?:Sie|man|du) (?:können|kann|kannst|müssen|muss|sollten?)|vous pouvez|il faut|se puede|puede[ns]?|debe[ns]?|si può|pode[mr]?|deve[mr]?)\b|(?<!\p{L})\p{L}{1,40}en Sie\b|^(?:to|um|pour|para|per) \p{L}[^.]{3,120}[,:]|^this (?:command|function|method|option|flag|setting|property|hook|class|tag)\b|ください|请/iu;
/** What something is or is good for, as the first sentences of a document say. */
const DESCRIBES =
  /^(?:the |an? )?\S{1,40}(?: \([^)]{0,60}\)| \p{L}+)? (?:is|are|ist|sind) (?:an?|the|one|ein|eine|der|die|das)\b|^(?:an? )?(?:[\p{L}-]+ ){0,4}(?:library|module|package|tool|utility|wrapper|plugin|parser|implementation|middleware)\b(?! (?:options?|to))|^\S{1,40}(?: \p{L}+)? (?:supports|provides|features|offers)\b/iu;

/** Whether a sentence, a list or code tells how something is done. */
export function instructs(sentence: Sentence, question: Question): boolean {
  const { terms } = question;
  const { text, stems, group } = sentence;
  if (group.kind !== "paragraph" || group.introduces !== null) return true;
  return isEntry(sentence, question) || isImperative(text, stems, terms) || DIRECTS.test(text);
}

/** Whether an item of a list is a step, names what to use, or stands below a sentence that leads. */
export function isStep({ text, mark, stems, group }: Sentence, { terms }: Question): boolean {
  if (/\d/.test(mark) || /^-|`/.test(text) || group.introduction !== "") return true;
  return isImperative(text, stems, terms) || DIRECTS.test(text);
}

/** Whether a sentence stands below an option, command or name that the question names. */
function isEntry(sentence: Sentence, question: Question): boolean {
  const { text, group, heading, source } = sentence;
  const isExplained =
    /^[-[<`\p{Ll}]/u.test(group.introduction) && group.sentences[0]?.text === text;
  const isMeant = specialStems(sentence, question).some((stem) =>
    [...group.introductionStems].some((one) => one === stem || sharesPrefix(one, stem)),
  );
  if (isExplained && isMeant) return true;
  const above = heading === "" ? (source.cited.split(" › ").slice(1).at(-1) ?? "") : heading;
  const folded = above.toLowerCase();
  const special = specialStems(sentence, question);
  return NAMES_CODE.test(above) && special.some((stem) => stem.length > 2 && folded.includes(stem));
}

/** Whether a sentence, a list or a row says what something is or does. */
export function explains(sentence: Sentence, question: Question): boolean {
  const { group, stems } = sentence;
  if (group.kind === "code") return false;
  if (group.kind !== "paragraph") {
    const special = specialStems(sentence, question);
    const head = stems.slice(0, HEAD_WORDS);
    const isIn = (stem: string) => head.some((one) => one === stem || sharesPrefix(one, stem));
    const named = special.filter((stem) => isIn(stem) || sentence.headingStems.has(stem));
    return special.some(isIn) && named.length >= special.length / 2;
  }
  if (group.introduces?.kind === "list") return true;
  return isEntry(sentence, question) || isFirstOf(sentence) || defines(sentence, question.terms);
}

/** Words of an item or row among which it names what it explains. */
const HEAD_WORDS = 10;

/** Whether it begins a section that says what a thing is. */
function isFirstOf({ text, group }: Sentence): boolean {
  const { isWhole, groups, told } = group.section;
  const isFirst = isWhole && groups[0] === group && group.sentences[0]?.text === text;
  return isFirst && [...told].every((stem) => INTRODUCES.has(stem));
}

function defines({ text, stems }: Sentence, terms: Question["terms"]): boolean {
  const head = new Set(stems.slice(0, SUBJECT_WORDS));
  const isAbout = terms.some(({ stem }) => head.has(stem));
  return isAbout && EXPLAINS.test(text) && !CONDITIONAL.test(text) && !text.endsWith(":");
}

/** What begins with a verb that tells what to do, such as the first one of the question. */
const isImperative = (text: string, stems: string[], terms: Question["terms"]): boolean =>
  IMPERATIVE.test(text) || (terms.length > 1 && stems[0] === terms[0]?.stem);

/** A heading that names what is called or set. */
const NAMES_CODE = /`|\w\(|\p{Ll}\p{Lu}/u;

/** `X is`, `X means`, or an explanation that begins with its verb (`Specifies the …`). */
const EXPLAINS =
  /^[^.!?]{1,60}?\b(?:is|are|means?|refers? to|stands? for|specif(?:y|ies)|defines?|determines?|describes?|allows?|tells?|enables?|ist|sind|bedeutet|bezeichnet|est|sont|désigne|es|son|significa|è|sono|é|são)(?=\s)|とは|は、|是/u;
const ABOUT_VALUE = /^(?:the )?default(?: value)?\b|\bdefaults to\b|^(?:the )?differences?\b/i;
/** What says more of a thing than what it is. */
const CONDITIONAL =
  /^(?:if|when|note|assuming|however|running|during|for example|to|though|although|while|because|please|wenn|falls|si|lorsque|cuando|se)\b/i;
const CONDITION_PENALTY = 0.85;
/** The section that says what a thing is. */
const INTRODUCES = new Set(["description", "overview", "introduction", "purpose"].map(stemOfForm));
const VALUE_STEMS = new Set(["default", "difference", "differ"].map(stemOfForm));

function formOf(sentence: Sentence, question: Question): number {
  if (question.form === "how") return howOf(sentence, question);
  return question.form === "what" ? whatOf(sentence, question) : 1;
}

function howOf({ text, stems, group }: Sentence, { terms }: Question): number {
  if (group.kind !== "paragraph") return 1;
  const tells =
    isImperative(text, stems, terms) || DIRECTS.test(text) || group.introduces?.kind === "code";
  if (DESCRIBES.test(text)) return tells ? 1 : DESCRIBES_PENALTY;
  return tells ? INSTRUCTS_BONUS : 1;
}

function whatOf(sentence: Sentence, { terms }: Question): number {
  const { text, group } = sentence;
  if (group.kind === "code") return CODE_EXPLAINS_PENALTY;
  if (ABOUT_VALUE.test(text) && !terms.some(({ stem }) => VALUE_STEMS.has(stem))) {
    return DESCRIBES_PENALTY;
  }
  if (group.introduces?.kind === "list") return EXPLAINS_BONUS;
  if (CONDITIONAL.test(text)) return CONDITION_PENALTY;
  return isFirstOf(sentence) || defines(sentence, terms) ? EXPLAINS_BONUS : 1;
}

/** Words among which a definition names what it defines. */
const SUBJECT_WORDS = 5;

/** Whether a sentence is lines without an end that were run together, or a drawing of characters. */
export function isRunTogether({ text, group }: Sentence): boolean {
  if (text.length < DRAWN_CHARACTERS || group.kind === "code") return false;
  const isLong = group.kind === "paragraph" && text.length > RUN_TOGETHER_CHARACTERS;
  if (isLong && !ENDS.test(text) && countOf(text, / /g) >= text.length * MIN_SPACES) return true;
  // Vowels of Indic scripts are marks.
  const letters = countOf(text, /[\p{L}\p{M}]/gu);
  return letters < text.length * MIN_LETTERS;
}

const countOf = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
