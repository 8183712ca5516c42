import type { ImageReader } from "../../ports/models.ts";

type Answer = Pick<Awaited<ReturnType<ImageReader["read"]>>, "text" | "ending">;
/** The text of a picture, or why the answer does not tell it, as a clause. */
export type Transcription = { text: string } | { problem: string };

/** Models add a sentence behind a fence; "Note: restart the server" is the page's. */
const FENCED =
  /^```[a-z]*\n([^]*?)\n?```(?:\n+(?:let me know|i hope|(?:note|please)\b[^\n]*\b(?:image|picture|scan|illegible|transcri))[^\n]*)?$/i;
const INTRODUCTION =
  /^(?:(?:sure|certainly|of course|okay|here (?:is|are)|here's|below is|based on the (?:\w+ )?(?:image|picture|scan))\b[^\n]{0,200}:|[#* ]*(?:the )?transcri(?:ption|bed text)(?: is as follows)?\**:\**|---\nprimary_language:[^]{0,400}?\n---)\s*\n/i;
const NO_TEXT =
  /^(?:[[(*`]*(?:no (?:(?:readable|visible|legible) )?text(?: (?:found|detected|visible))?|blank(?: page)?|illegible|image)[\])*`]*\.?|!\[[^\]]*\]\([^)]*\)|(?:there is|(?:the|this) (?:image|picture|page|photo|scan) (?:shows|contains|has|does(?: not|n['’]t) (?:show|contain|have))) (?:no|any) (?:\w+ ){0,3}text(?: (?:content|visible|present|found|detected|shown|at all|or \w+|to \w+|(?:in|on|within) (?:the|this|it)\b(?: \w+){0,3}|that (?:can|could|is)[^\n]{0,60})){0,3}(?:[.,;:][^\n]{0,80})?|das bild (?:enthält|zeigt) keinen text\.|cette image ne contient (?:pas de|aucun) texte\.|la imagen no contiene (?:ningún )?texto\.|图片中没有任?何?文字。)$/i;
/** A refusal is short; a page may begin with these words. */
const MAX_REFUSAL_CHARACTERS = 400;
/** Letters and errors are unable to do other things than to read. */
const REFUSES =
  /^(?:(?:(?:i['’]?m|i am) (?:unable|not able)|i apologi[sz]e|unable to)\b[^\n]{0,120}\b(?:image|picture|photo|scan|document|attach|text|transcri|assist|help|request|comply)|(?:(?:i['’]?m|i am) sorry|sorry|unfortunately|i (?:cannot|can['’]?t|won['’]?t)|as an ai|i do not see|i don['’]?t see|please (?:provide|upload)|es tut mir leid|leider kann ich|je suis désolé|lo siento)\b)/i;
const EXPLAINS =
  /^(?:the|this) (?:image|picture|photo|photograph|screenshot|scan|document|page)(?: you (?:sent|provided|uploaded))? (?:shows|contains|depicts|displays|appears|features|is an? )/i;
/** A page may begin with "This document contains". */
const OF_ITSELF = /^(?:the|this) (?:document|page) (?:shows|contains|features|is an? )/i;

/** The end of an answer that shows whether it repeats itself, and the longest part that it repeats. */
const TAIL_CHARACTERS = 1_500;
const MAX_PERIOD = 250;

/** Says whether an answer is what the picture says, as far as words tell. */
export function checkTranscription({ text: answer, ending }: Answer): Transcription {
  const trimmed = answer.trim();
  const body = trimmed.replace(INTRODUCTION, "");
  const fenced = (FENCED.exec(body)?.[1] ?? body).trim();
  // A second introduction is the page's own.
  const text = (body === trimmed ? fenced.replace(INTRODUCTION, "") : fenced).trim();
  if (ending === "refused") return { problem: "the model refused" };
  if (text === "") return { problem: "an empty answer" };
  if (repeatsItself(text)) return { problem: "the answer repeats itself" };
  if (ending === "cut") return { problem: "the answer was cut off at the limit of tokens" };
  if (NO_TEXT.test(text)) return { text: "" };
  const isShort = text.length <= MAX_REFUSAL_CHARACTERS;
  if (isShort && REFUSES.test(text)) return { problem: "the model refused" };
  if (isExplanation(text, isShort)) return { problem: "an explanation in place of the text" };
  return { text };
}

const isExplanation = (text: string, isShort: boolean) =>
  EXPLAINS.test(text) && (isShort || !OF_ITSELF.test(text));

/** Lines of dots and empty cells are no loop. */
function repeatsItself(text: string): boolean {
  const tail = text.slice(-TAIL_CHARACTERS);
  if (tail.length < TAIL_CHARACTERS) return false;
  for (let period = 1; period <= MAX_PERIOD; period++) {
    let at = period;
    while (at < tail.length && tail[at] === tail[at - period]) at++;
    if (at === tail.length) return /[\p{L}\p{N}]/u.test(tail.slice(-period));
  }
  return false;
}
