import { isDoneToOther, isOfNarrowerOption } from "./done-to.ts";
import { LIGHT_VERBS } from "./question.ts";
import type { Question } from "./question.ts";
import { REFERS } from "./quote.ts";
import { isAsked, specialStems } from "./sections.ts";
import type { Sentence } from "./sentences.ts";
import { isLike, stemOfForm, stemsOf } from "./stems.ts";
import { tellingWords } from "../../../text/telling-words.ts";

/**
 * Whether a quotation holds the question's words and yet speaks of something beside it: of a special
 * case, in a remark, of what the thing is praised for, or of something else on the way.
 * @param best the sentence that answers best; `quoted`: of its passage.
 */
export function standsBeside(best: Sentence, quoted: Sentence[], question: Question): boolean {
  if (holdsOnlyInRemarks(quoted, question)) return true;
  if (question.form === "what") return isMereValue(best, quoted, question);
  if (question.form !== "how") return isMereDescription(best, question);
  if (isAsked(best.group, best, question)) return quoted.every(isDeclaration);
  const begins = REFERS.test(best.text) ? quoted.slice(0, 1) : [];
  return (
    [best, ...begins].some((one) => isOfSpecialCase(one, question)) ||
    isOfOther(best, question) ||
    isDoneToOther(best, quoted, question) ||
    lacksVerb(best, quoted, question) ||
    lacksMeans(best, quoted, question)
  );
}

/** Whether a quotation says that something is done or good, and not by which means. */
const lacksMeans = (best: Sentence, quoted: Sentence[], question: Question): boolean =>
  isMerePossibility(best, quoted) ||
  isMereDuty(best, quoted, question) ||
  isAsBefore(best, quoted) ||
  isPraise(quoted, best) ||
  isOfForm(best, quoted) ||
  restatesTitle(best, quoted, question);

/** `The second form is used for …`: one of several things that stand before it. */
const OF_FORM = /^the (?:first|second|third|fourth|last|former|latter|other) (?:form|one|case)\b/i;

const isOfForm = ({ text }: Sentence, quoted: Sentence[]): boolean =>
  OF_FORM.test(text) && OF_FORM.test(quoted[0]?.text ?? "");

const BY_MEANS = /\b(?:by|using|via|through)\s/i;

/** What a document says of itself below its title: `Create errors with ease.` of how one does. */
function restatesTitle(best: Sentence, quoted: Sentence[], { verb }: Question): boolean {
  const { group, source, text, stems } = best;
  const { told, groups, isWhole } = group.section;
  if (group.kind !== "paragraph" || !isWhole || groups[0] !== group || verb === null) return false;
  if (told.size === 0 || BY_MEANS.test(text)) return false;
  const names = new Set(source.names.flat());
  if (![...told].every((stem) => names.has(stem))) return false;
  return stems[0] === verb && !TYPED.test(text) && quoted.every((one) => one.group === group);
}

/** A remark of some words; shorter ones are abbreviations and units. */
const REMARK = /\([^()]{1,500}\)/g;
const MIN_REMARK_WORDS = 3;

/** Whether a word of the question stands in nothing that is quoted but a remark in parentheses. */
function holdsOnlyInRemarks(quoted: Sentence[], { terms, kind }: Question): boolean {
  // A value is often put in parentheses.
  if (kind === "default" || kind === "number") return false;
  const isRemark = (text: string) => text.split(/\s+/).length >= MIN_REMARK_WORDS;
  const outside = quoted.map(({ text, stemSet, group }) =>
    /^(?:paragraph|list)$/.test(group.kind) && text.includes("(")
      ? new Set(stemsOf(text.replace(REMARK, (one) => (isRemark(one) ? " " : one))))
      : stemSet,
  );
  if (outside.every((stems, at) => stems === quoted[at]?.stemSet)) return false;
  return terms.some(({ stem }) => {
    if (!quoted.some(({ stemSet }) => stemSet.has(stem))) return false;
    const isElsewhere = quoted.some(
      ({ group, headingStems }) =>
        headingStems.has(stem) ||
        (group.introductionStems.has(stem) && !group.introduction.includes("(")),
    );
    return !isElsewhere && !outside.some((stems) => stems.has(stem));
  });
}

/** What a library is, where the question asks which ones it has. */
const DESCRIPTION =
  /^[^.:`]{0,80}\b(?:library|module|package|tool|utility|wrapper|implementation)\b/i;
const WHICH = /^(?:which|welche)/i;

const isMereDescription = ({ text, group }: Sentence, { text: asked }: Question): boolean =>
  WHICH.test(asked) && group.kind === "paragraph" && DESCRIPTION.test(text);

/** A condition with which a sentence begins, unless it says what the reader wants. */
const CONDITION =
  /^(?:if|when|whenever|once|unless|while)\s(?!(?:you|one|we)(?:['’]d| would| may| might)? (?:want|need|wish|like|prefer|have to|are looking)\b)([^,]{3,200}),/i;
/** … and one with which it ends: `until it blinks`, not `until it blinks, then let go`. */
const CONDITION_BELOW =
  /\s(?:if|when|whenever|unless|until|while|to (?:ensure|make sure)|as (?:it|they) (?:is|are))\s(?:[^.,]|,(?!\s(?:then|and)\b)|\.(?=\S)){3,300}\.?$/i;
/** What a sentence begins with that tells to which end. */
const PURPOSE = /^(?:to|in order to)\s([^,:]{3,200})[,:]/i;
/** A question that names one itself. */
const NAMES_CONDITION = /\s(?:if|when|whenever|unless|until|while)\s/i;
/** The share of a condition, or of a purpose, that the question need not name. */
const MAX_UNASKED = 0.5;
const MAX_UNASKED_OF_PURPOSE = 0.75;
/** The share of what is asked for that stands outside of conditions. */
const MIN_OUTSIDE = 0.3;
const MIN_OUTSIDE_OF_ITEM = 0.5;

/** Whether a sentence holds only under a condition, or for an end, that the question does not name. */
function isOfSpecialCase(sentence: Sentence, question: Question): boolean {
  const { group } = sentence;
  const text = group.kind === "code" ? group.introduction : sentence.text;
  if (group.kind === "table") return false;
  const isItem = group.kind === "list";
  if (isItem && !CONDITION.test(text)) return false;
  const purpose = PURPOSE.exec(text)?.[1];
  if (purpose !== undefined) return unaskedOf(purpose, question) >= MAX_UNASKED_OF_PURPOSE;
  const condition = CONDITION.exec(text)?.[1];
  if (condition !== undefined && unaskedOf(condition, question) >= MAX_UNASKED) return true;
  return holdsInCase(sentence, text, question, isItem ? MIN_OUTSIDE_OF_ITEM : MIN_OUTSIDE);
}

/** Whether less than a share of what is asked for stands outside of the conditions of a text. */
function holdsInCase(sentence: Sentence, text: string, question: Question, least: number): boolean {
  if (NAMES_CONDITION.test(question.text)) return false;
  const outside = text.replace(CONDITION, "").replace(CONDITION_BELOW, "");
  if (outside.length === text.length) return false;
  const above = [...sentence.group.introductionStems, ...sentence.headingStems];
  const special = specialStems(sentence, question);
  const said = [...stemsOf(outside), ...above];
  return special.filter((stem) => isLike(stem, said)).length < special.length * least;
}

/** The share of a clause's words that the question does not say. */
function unaskedOf(clause: string, { terms }: Question): number {
  const said = [...new Set(tellingWords(clause).map(stemOfForm))];
  const asked = terms.map(({ stem }) => stem);
  return said.filter((stem) => !isLike(stem, asked)).length / Math.max(1, said.length);
}

const isOfOther = (best: Sentence, question: Question): boolean =>
  isOfOpposite(best, question) || isOfAll(best, question) || isOfNarrowerOption(best, question);

/** `--no-remove`, which the question asks neither for by name nor with a negation. */
const isOfOpposite = ({ group }: Sentence, { isNegated, options }: Question): boolean =>
  !isNegated && options.length === 0 && /^--(?:no|without|disable|skip)-/.test(group.introduction);

/** What is used stands before it. */
const USES_THIS = /^you (?:can|could|may|might) (?:\p{L}+ )?(?:use|do) (?:this|it|these|them)\b/iu;
const POSSIBLE = /^you (?:can|could|may|might)\b/i;
/** By which means: a word that leads to them, or what is typed. */
const MEANS = /\b(?:by|with|using|via|through|in|at|on|from|under|to)\s/i;

/** Whether a sentence says that something can be done, and not by which means. */
const isMerePossibility = ({ text, group }: Sentence, quoted: Sentence[]): boolean =>
  group.kind === "paragraph" &&
  (USES_THIS.test(text) ||
    (POSSIBLE.test(text) &&
      !MEANS.test(text) &&
      !quoted.some((one) => one.group.kind !== "paragraph" || TYPED.test(one.text))));

/** `You must change it`, where the question asks how one changes it. */
const DUTY = /\byou (?:must|need to|have to|should) (?<verb>\p{L}+)(?<rest>[^.]{0,300})/iu;

function isMereDuty({ text, group }: Sentence, quoted: Sentence[], { verb }: Question): boolean {
  const { verb: due, rest } = DUTY.exec(text)?.groups ?? {};
  if (due === undefined || rest === undefined || stemOfForm(due.toLowerCase()) !== verb) {
    return false;
  }
  const isShown = quoted.some((one) => one.group.kind !== "paragraph" || TYPED.test(one.text));
  return group.kind === "paragraph" && !isShown && !MEANS.test(rest) && !TYPED.test(rest);
}

/** What holds as long as nothing is done. */
const isAsBefore = ({ text, group }: Sentence, quoted: Sentence[]): boolean =>
  group.kind === "paragraph" &&
  /^(?:by default|normally)\b/i.test(text) &&
  !TYPED.test(text) &&
  quoted.every((one) => one.group.kind === "paragraph");

/** An item that says which values there are, and a sentence that says only which one holds. */
const VALUE_ITEM =
  /^(?:type|default(?: value)?|environment variable|required|optional|since)\b[^.]{0,80}$/i;
const IS_ON =
  /^[^,.;]{1,80}\b(?:is|are) (?:enabled|disabled|turned (?:on|off)) by default(?: (?:for|from|in|on|since|with)\b[^,.;]{0,60})?\.?$/i;

const ASKS_VALUE =
  /\b(?:type|default|environment|required|optional|since|enabled|disabled|turned)\b/i;

/** Whether the type or the default of a thing is said, not what it is or does, which is asked. */
const isMereValue = (
  best: Sentence,
  quoted: Sentence[],
  { kind, text: asked }: Question,
): boolean =>
  kind === null &&
  !ASKS_VALUE.test(asked) &&
  (IS_ON.test(best.text) ||
    quoted.every(({ text, group }) => group.kind === "list" && VALUE_ITEM.test(text)));

/** `TAR(1) GNU TAR Manual` says nothing of what is done. */
const MANUAL_TITLE = /^[\w.-]+\(\d\w{0,4}\)/;

/** Whether a sentence is of all, where the question is of one. */
const isOfAll = ({ text }: Sentence, { text: asked }: Question): boolean =>
  OF_ONE.test(asked) && !ALL.test(asked) && ALL.test(text) && !OF_ONE.test(text);

const ALL = /\ball\b/i;
/** `How can one` asks for nothing single. */
const OF_ONE = /(?<!\bhow (?:can|could|does|might|should|would) )\b(?:one|single)\b/i;

/** Whether what is done stands nowhere, or only in a condition. */
function lacksVerb(best: Sentence, quoted: Sentence[], { verb }: Question): boolean {
  if (verb === null || LIGHT_VERBS.has(verb)) return false;
  const says = (stems: Iterable<string>) => isLike(verb, stems);
  const isAbove = ({ group, heading, source }: Sentence) => {
    const headings = [...source.cited.split(" › ").slice(1), heading];
    const titles = headings.filter((one) => !MANUAL_TITLE.test(one));
    return says(group.introductionStems) || says(stemsOf(titles.join(" ")));
  };
  if (quoted.some(isAbove)) return false;
  if (best.group.kind !== "paragraph") return !quoted.some(({ stems }) => says(stems));
  const shown = quoted.filter(({ group }) => group.kind !== "paragraph");
  return (
    !says(stemsOf(best.text.replace(CONDITION_BELOW, ""))) &&
    !shown.some(({ stems }) => says(stems))
  );
}

/** Sections that say what a thing is good for, not how it is used. */
const PRAISES = new Set(
  tellingWords("features highlights motivation goals benefits advantages").map(stemOfForm),
);
/** What is typed: code, an option, an assignment. */
const TYPED = /[`]|(?:^|\s)-{1,2}\p{L}|\w\(|=/u;

function isPraise(quoted: Sentence[], { group, text }: Sentence): boolean {
  if (![...group.section.told].some((stem) => PRAISES.has(stem))) return false;
  return !TYPED.test(text) && !quoted.some((one) => one.group.kind === "code");
}

/** Code that only says what a name is. */
const DECLARATION = /^\s*(?:export )?(?:const|let|var|type|interface)\s[^(]{1,200}$/;

const isDeclaration = ({ group, text }: Sentence): boolean =>
  group.kind === "code" && DECLARATION.test(text);
