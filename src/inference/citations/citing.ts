import type { StepResult, ToolSet } from "ai";

import { passageNumber } from "../../ports/models.ts";
import type { Citation, ContentBlock } from "../types.ts";
import { citationsOf } from "./citations.ts";
import { citingNotice, newCitingWord, withoutMarks, type Mark } from "./marks.ts";

/** How one run's model is asked to cite. */
export type Citing = { word: string; notice: string };

export function newCiting(): Citing {
  const word = newCitingWord();
  return { word, notice: citingNotice(word) };
}

/** What the model said in one step. `own`: citations of a model that cites by itself. */
export type Said = { text: string; marks: Mark[]; own: OwnCitation[] };
type OwnCitation = { number: number; start: number; end: number };
type Step = Pick<StepResult<ToolSet>, "text" | "content">;

/** @param citing null: nobody asked for citations, and the text stays as it is. */
export function readSaid(step: Step, citing: Citing | null): Said {
  if (citing === null) return { text: step.text, marks: [], own: [] };
  const { text, marks } = withoutMarks(step.text, citing.word);
  // Offsets are the model's: they hold where nothing was taken out before them.
  const own = ownCitations(step).filter(
    ({ start, end }) => text.slice(start, end) === step.text.slice(start, end),
  );
  return { text, marks, own };
}

function ownCitations({ content }: Step): OwnCitation[] {
  let offset = 0;
  return content.flatMap((part) => {
    if (part.type !== "text") return [];
    const from = offset;
    offset += part.text.length;
    return (part.citations ?? []).flatMap(({ source, startIndex, endIndex }) => {
      const number = passageNumber(source);
      if (number === null || startIndex === undefined || endIndex === undefined) return [];
      return [{ number, start: from + startIndex, end: from + endIndex }];
    });
  });
}

/** @param items the texts of the run's items, in their order. */
export function citedBlock({ text, marks, own }: Said, items: string[]): ContentBlock {
  const byItself = own.flatMap(({ number, start, end }): Citation[] =>
    items[number - 1] === undefined ? [] : [{ item: number - 1, start, end }],
  );
  return { type: "text", text, citations: [...byItself, ...citationsOf(text, marks, items)] };
}
