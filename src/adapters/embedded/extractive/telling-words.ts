import { pairUnspacedScripts, wordsOf } from "../../../text/words.ts";

/** Words that build a sentence, or that say that something is asked, in English and German. */
const NOT_TOLD = new Set(
  `
  a about above after again all also am an and any are aren as at be because been before being below
  between both but by can cannot could couldn d did didn do does doesn doing don done each else ever
  few for from further get gets getting give given gives go goes got had has hasn have having he her
  here hers him his how i if in into is isn it its itself just know let lets ll look m many may me
  might mine more most much must my myself often need needed needs no nor not now of off on once one ones
  only or other our ours out over own per please possible re s same say says shall she should show
  shown so some somebody someone something such t tell than that the their theirs them then there
  these they thing things this those through to too under until up us use used using ve very want
  wants was way we were what whats when where whether which while who whom whose why will with
  without won would you your yours according answer question explain describe find
  aber als am an auch auf aus bei beim bekomme bekommt bin bis bitte da dann darf das dass dein dem
  den der des die dir du durch ein eine einem einen einer eines er es euch fur gibt hat habe haben
  ich ihm ihn ihr im in ist ja jede jeder kann kein keine man mein mich mir mit muss mussen nach
  nicht noch nun nur ob oder ohne sein seine sich sie sind so soll sollte uber um und uns unser unter
  viel viele vom von vor wann war warum was welche welcher welches wem wen wenn wer werden wie wir
  wird wo wohin woher zu zum zur`
    .trim()
    .split(/\s+/),
);

export const isTelling = (word: string): boolean => !NOT_TOLD.has(word);

/** The words of a text that are not only there to ask or to build a sentence. */
export const tellingWords = (text: string): string[] =>
  wordsOf(pairUnspacedScripts(text)).filter(isTelling);
