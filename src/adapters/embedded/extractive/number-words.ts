import { wordsOf } from "../../../text/words.ts";

const folded = (words: string) => new Set(wordsOf(words));

const ENGLISH = `one two three four five six seven eight nine ten eleven twelve thirteen fourteen
  fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety
  hundred thousand dozen`;
const GERMAN = `zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn
  sechzehn siebzehn achtzehn neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig
  neunzig hundert tausend`;
const FRENCH = `deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize
  vingt trente quarante cinquante soixante cent mille`;
const SPANISH = `dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince
  dieciséis diecisiete dieciocho diecinueve veinte treinta cuarenta cincuenta sesenta setenta ochenta
  noventa cien ciento mil`;
const ITALIAN = `due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici
  quindici sedici diciassette diciotto diciannove venti trenta quaranta cinquanta sessanta settanta
  ottanta novanta cento mille`;
const PORTUGUESE = `dois duas três quatro cinco seis sete oito nove dez onze doze treze catorze quatorze
  quinze dezesseis dezasseis dezessete dezassete dezoito dezenove dezanove vinte trinta quarenta
  cinquenta sessenta setenta oitenta noventa cem cento mil`;

/**
 * How a question asks for a number, by its folded words, and the words that are numbers in its
 * language alone: `six` and `once` are something else in others, `quanto` is of two. The article
 * (`ein`, `un`) is in almost every sentence and says no number.
 */
const LANGUAGES: [RegExp, Set<string>][] = [
  [/\bhow (?:many|much|long|high|old|far|big|deep|fast|heavy)\b/, folded(ENGLISH)],
  [/\bwie (?:viele?|lange?|hoch|alt|weit|tief|schwer)\b/, folded(GERMAN)],
  [/\bcombien\b/, folded(FRENCH)],
  [/\bcuant[oa]s?\b/, folded(SPANISH)],
  [/\bquant[ie]\b/, folded(ITALIAN)],
  [/\bquant[oa]s\b/, folded(PORTUGUESE)],
  [/\bquant[oa]\b/, folded(`${ITALIAN} ${PORTUGUESE}`)],
  [/多少|几|何(?:日|人|回|個|冊|台)/, new Set()],
];

/** The folded words that are numbers in the language in which a question asks for one; null where it does not. */
export function numberWordsFor(question: string): Set<string> | null {
  const asked = wordsOf(question).join(" ");
  return LANGUAGES.find(([asks]) => asks.test(asked))?.[1] ?? null;
}
