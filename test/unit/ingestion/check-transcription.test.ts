import { expect, test } from "vitest";

import { checkTranscription } from "../../../src/ingestion/images/check-transcription.ts";

const checked = (text: string) => checkTranscription({ text, ending: "whole" });

test.each([
  "The image does not contain any readable text.",
  "There is no text in this image, only a photo of a dog.",
  "The image does not contain any text or writing that can be read.",
  "No readable text found.",
  "*[no text]*",
  "![image](image.png)",
  "Das Bild enthält keinen Text.",
])("a page of which the model says %s has no text", (text) => {
  expect(checked(text)).toEqual({ text: "" });
});

test.each([
  "No text messages while you drive!",
  "There is no text book of it.\nRead on.",
  "There is no text on page 3; see annex B.",
  "The page has no text messages, no ads.",
  "None",
  "Based on the survey, the board decides:\n1. Rents rise.",
  "Transcription\nThe cell copies DNA into RNA.",
  "```\nnpm ci\n```\nNote: restart the server.",
  "Unable to process payment. The card was declined.",
  "I'm unable to attend on Friday.\nAnn",
  "I apologize for the late reply. The goods come on Friday.",
])("%j is what a page says", (text) => {
  expect(checked(text)).toEqual({ text });
});

test("a page that begins like an introduction keeps its line behind the model's", () => {
  const text = "Here are the rules:\nNo dogs.";
  expect(checked(`Here is the transcription:\n\n${text}`)).toEqual({ text });
});

test.each([
  "I'm unable to read the text in this image.",
  "I apologize, but I can't transcribe this.",
])("%s is no text of a page", (text) => {
  expect(checked(text)).toEqual({ problem: "the model refused" });
});

/** The last is olmOCR's. */
test.each([
  "Here is the transcription:\n```markdown\nRent 500\n```",
  "```\nRent 500\n```\n\nLet me know if you need more.",
  "**Transcription:**\n\nRent 500",
  "---\nprimary_language: en\nis_table: False\n---\nRent 500",
])("what stands around a transcription is left out: %j", (text) => {
  expect(checked(text)).toEqual({ text: "Rent 500" });
});
