import { readRequest } from "../../../src/text/prompt-delimiters.ts";
import { withoutStopWords } from "../../../src/text/stop-words.ts";
import { wordsOf } from "../../../src/text/words.ts";
import { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";

/** Questions of so many content words name their topic; shorter ones lean on the turn before. */
const TOPIC_WORDS = 2;

const OPENING =
  /^(?:(?:thanks|thank you|ok|danke|gut|merci|d’accord)[.,]?\s+)?(?:and|und|et)\s+|^(?:what about|qu’en est-il|c’est pareil|is it the same|wie ist das|gilt das auch)\s+/iu;
/** In place of the name alone. */
const PLACE = /(?<!\p{L})(?:there|sie|ihr|dafür|là-bas)(?!\p{L})/iu;
const NEXT_PART =
  /,\s+(?:(?:and|und|et)\s+)?|\s+(?:and|und|et)\s+(?=wh|how|wie|wo|was|wann|qu|où|comb)/iu;

/** A model that writes questions from a conversation by rules, in English, German and French. */
export function rewritingDouble(): OpenAiDouble {
  const double = new OpenAiDouble();
  double.script = ({ messages }) => {
    const [system, user] = messages.map(({ content }) => content ?? "");
    if (system?.startsWith("You write the questions") !== true) return { text: "It says so." };
    const lines = readRequest(user ?? "").split("\n");
    const users = lines.flatMap((line) => (line.startsWith("user: ") ? [line.slice(6)] : []));
    const [first = "", ...rest] = users;
    const question = rest.reduce((before, turn) => standingAlone(turn, before), first);
    const plans = system.includes("a question for each");
    return { text: (plans ? partsOf(question) : [question]).join("\n") };
  };
  return double;
}

const contentWords = (text: string) => withoutStopWords(wordsOf(text));
/** The last word with a capital, unless it begins the text: a name, in the languages of the set. */
const nameIn = (text: string) => text.match(/(?<=[\s’])\p{Lu}\p{L}+/gu)?.at(-1) ?? "";

function standingAlone(turn: string, before: string): string {
  const rest = turn.replace(OPENING, "");
  const name = nameIn(turn);
  const words = contentWords(rest).filter((word) => word !== name.toLowerCase());
  const isSwap = name !== "" && OPENING.test(turn) && words.length < TOPIC_WORDS;
  if (isSwap) return before.replace(nameIn(before), name);
  if (words.length >= TOPIC_WORDS) {
    if (PLACE.test(rest)) return asQuestion(rest, [nameIn(before)]);
    if (name !== "") return turn;
  }
  const knownWords = new Set(contentWords(rest));
  const missing = before.split(/[\s?]+/u).filter((word) => {
    const [plain = ""] = contentWords(word);
    return plain !== "" && !knownWords.has(plain);
  });
  return asQuestion(rest, missing);
}

const asQuestion = (text: string, more: string[]) =>
  `${text.replace(/\s*\?$/u, "")} ${more.join(" ")}?`;

function partsOf(question: string): string[] {
  const parts = question.replace(/\s*\?$/u, "").split(NEXT_PART);
  return parts.map((part) => asQuestion(part, nameIn(part) === "" ? [nameIn(question)] : []));
}
