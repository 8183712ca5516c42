/**
 * Words that say how a sentence is built and not what it is about, in English and German, folded
 * as `wordsOf` folds. Short on purpose: a word that may be a topic (`can`, `will`, `mine`, `war`)
 * and is rare as a function word in the other language stays out.
 */
const ENGLISH = `
  a about above after again against all am an and any are as at be because been before being below
  between both but by could did do does doing during each few for from further had has have having
  he her here hers herself him himself his how i if in into is it its itself me more most my myself
  no nor not now of off on once only or other our ours ourselves out over own same she should so
  some such than that the their theirs them themselves then there these they this those through to
  too under until up very was we were what when where which while who whom why with would you your
  yours yourself yourselves`;

const GERMAN = `
  aber als also am an auch auf aus bei beim bin bis bist da dann das dass dein deine dem den denn
  der des dessen dich dir doch du durch ein eine einem einen einer eines er es euch euer fur haben
  hat hatte ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im in ist ja jede jedem jeden jeder
  jedes kann kein keine keinem keinen keiner mein meine mich mir mit muss nach nicht noch nur ob
  oder ohne sehr sein seine seinem seinen seiner sich sie sind so soll uber um und uns unser unsere
  vom von vor wann warum was weil welche welchem welchen welcher welches wenn wer werden wie wieder
  wir wird wo wurde wurden zu zum zur zwischen`;

const words = (list: string) => list.trim().split(/\s+/);
const STOP_WORDS = new Set([...words(ENGLISH), ...words(GERMAN)]);

export const isStopWord = (word: string) => STOP_WORDS.has(word);

/** Leaves stop words out; a text of nothing else keeps them all. Repeats and order stay. */
export function withoutStopWords(words: string[]): string[] {
  const telling = words.filter((word) => !isStopWord(word));
  return telling.length > 0 ? telling : words;
}
