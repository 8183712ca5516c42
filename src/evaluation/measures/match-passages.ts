import { normalForm } from "../../core/normal-form.ts";
import type { ExpectedResult } from "../../db/schema/evaluation.ts";

/**
 * The rank, from 1, of the first result that is an expected passage; null where none is. A result
 * is it when it comes from the file and, where a passage is named, contains that text or is a part
 * of it. Case, white space and Unicode forms do not matter.
 */
export function ranksOf(
  expected: readonly ExpectedResult[],
  results: readonly { text: string; source: { filePath: string } }[],
): (number | null)[] {
  const folded = results.map(({ text, source }) => ({
    file: normalForm(source.filePath, "NFC"),
    text: foldText(text),
  }));
  return expected.map(({ file, passage }) => {
    const path = normalForm(file, "NFC");
    const expected = passage === null ? "" : foldText(passage);
    const at = folded.findIndex(
      (passage) =>
        passage.file === path &&
        (passage.text.includes(expected) ||
          (passage.text !== "" && expected.includes(passage.text))),
    );
    return at === -1 ? null : at + 1;
  });
}

/** Texts that a reader calls the same are equal: compatibility forms, case, white space. */
export const foldText = (text: string): string =>
  normalForm(text, "NFKC").toLowerCase().replace(/\s+/g, " ").trim();
