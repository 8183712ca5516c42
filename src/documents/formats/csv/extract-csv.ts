import { Progress, type CooperativeWork } from "../../../core/work/cooperative.ts";
import type { Extraction } from "../../extracted-document.ts";
import { ENDS_EARLY } from "../../notes.ts";
import { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { filledRow } from "../../writing/table-text.ts";
import { SheetWriter } from "../office/sheets/sheet-writer.ts";
import { guessDelimiter, newPlace, rowsOf } from "./delimited-rows.ts";

const STRAY_QUOTE = "a quote is not closed within 1 MiB: it is read as a character";
/** A stray quote looks like a file that is cut off. */
const OPEN_QUOTE = `a quote is never closed: ${ENDS_EARLY}, or a cell contains everything that follows`;

export function* extractRows(text: string, delimiter: string | null): CooperativeWork<Extraction> {
  const out = new MarkdownBuilder();
  const writer = new SheetWriter(out);
  // `sep=;` on the first line is Excel's way to name the delimiter.
  const separatorLine = /^sep=(.)\r?\n/.exec(text);
  const body = separatorLine === null ? text : text.slice(separatorLine[0].length);
  const place = newPlace();
  const progress = new Progress();
  for (const row of rowsOf(body, separatorLine?.[1] ?? delimiter ?? guessDelimiter(body), place)) {
    writer.addRow(filledRow(row));
    yield* progress.advanceTo(place.at);
  }
  writer.endTable();
  const notes = [
    ...(place.hasStrayQuote ? [STRAY_QUOTE] : []),
    ...(place.isInQuotes ? [OPEN_QUOTE] : []),
  ];
  return out.extraction({ notes });
}

export const readText = (text: string) => extractRows(text, null);
