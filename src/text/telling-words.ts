import { simplifyCharacters } from "./simplified-characters.ts";
import { isStopWord } from "./stop-words.ts";
import { cutUnspacedScripts, isPartOfCut, wordsOf } from "./words.ts";

/** Words that ask, or that hardly say what is asked about, in English and German. */
const ASKING_WORDS = new Set(
  `
  applies aren can cannot couldn d didn doesn don done else ever get gets getting give given gives go
  goes got hasn isn just know let lets ll look m many may might mine much must often need needed
  needs one ones per please possible re s say says shall show shown somebody someone something t
  tell thing things us use used using ve want wants way whats whether whose will without won
  according answer question explain describe find
  bekomme bekommt besteht bestehen bitte darf die gelten gibt gilt habe man mussen nun sollte unter
  viel viele hoch lange oft schwer teuer macht mache war wem wen wohin woher`
    .trim()
    .split(/\s+/),
);

/** Questions in French, Spanish, Italian and Portuguese, by their first word and an article. */
const ROMANCE =
  /^(?:comment|combien|quel(?:le)?s?|pourquoi|quand|qui|que|qu|ou|est|dans|a que|a quoi|como|cuant[oa]s?|cuando|donde|quien|cual(?:es)?|por que|se|esta|puedo|hay|come|quant[oaie]s?|quando|dove|chi|che|cosa|qual[ei]?|quais|perche|posso|onde|quem|o que)\b.*\b(?:le|la|les|l|des|du|une?|el|los|las|una|del?|en|il|lo|gli|di|della|o|os|as|um|uma|do|da|dos|das|no|na)\b/;
/** The words that build their sentences. */
const ROMANCE_BUILDERS = new Set(
  `le la les l un une des du de d au aux et ou en dans pour par sur avec est sont etre ce cet cette
   ces que qu qui quel quelle quels quelles combien comment pourquoi quand peut puis on il elle je j
   nous vous mon ma mes se s t y faut fait faire doit quoi
   el los las uno una unos unas del al o con para es son esta estan cual cuales cuanto cuanta cuantos
   cuantas como cuando donde quien puedo puede hay hace necesita mi
   lo i gli di da della dei delle alla che chi cosa come quanto quanta quanti quante quando dove e si
   posso per
   os as um uma do dos das no na nos em com por quem qual quais quantos quantas onde pode`
    .trim()
    .split(/\s+/),
);

/** What asks or builds the sentence in Japanese, where it is mostly written in hiragana … */
const HIRAGANA = /\p{Script=Hiragana}+|何[時日人回個冊台]?|誰|方法/gu;
/** … and in Chinese. */
const ASKS_IN_CHINESE =
  /怎么办|怎么|怎样|如何|什么时候|什么|为什么|多少|几[个点天]?|哪[里个些]?|谁|是否|可以|需要|能否|请问|是什么|[吗呢的了是]/gu;
const HAN = /\p{Script=Han}/u;
const KANA = /\p{Script=Hiragana}|\p{Script=Katakana}/u;

/** Elsewhere a form of options (`--long`) and an attribute of HTML. */
const HOW_LONG = /\b(?:how long|wie lang)\b/giu;

/** A text without what only asks, where its words or its script do not show it. */
function removeAskingWords(text: string): string {
  if (!HAN.test(text)) return text.replace(HOW_LONG, " ");
  if (KANA.test(text)) return text.replace(HIRAGANA, " ");
  return simplifyCharacters(text).replace(ASKS_IN_CHINESE, " ");
}

export const isTelling = (word: string): boolean => !isStopWord(word) && !ASKING_WORDS.has(word);

/** The words of a text that are not only there to ask or to build a sentence. */
export function tellingWords(text: string): string[] {
  const words = wordsOf(cutUnspacedScripts(removeAskingWords(text))).filter(isTelling);
  if (HAN.test(text)) return words.filter((word) => !isPartOfCut(word));
  const isRomance = ROMANCE.test(wordsOf(text).join(" "));
  return isRomance ? words.filter((word) => !ROMANCE_BUILDERS.has(word)) : words;
}
