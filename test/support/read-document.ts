import { expect, it } from "vitest";

import { extractDocument } from "../../src/documents/extract-document.ts";
import { TakesTooLong } from "../../src/documents/extracted-document.ts";

export type Content = string | Uint8Array;

export const bytesOf = (content: Content): Uint8Array =>
  typeof content === "string" ? new TextEncoder().encode(content) : content;

export const extract = (name: string, content: Content, mimeType: string | null = null) =>
  extractDocument({ name, mimeType, bytes: bytesOf(content) });

export const readPdf = (bytes: Uint8Array) => extract("a.pdf", bytes);

/** Reads; the time is over at the `last` look at the clock. */
export async function readUntil(name: string, content: Content, last = Infinity) {
  let looks = 0;
  const yieldToOthers = () =>
    ++looks === last ? Promise.reject(new TakesTooLong(3)) : Promise.resolve();
  const file = { name, mimeType: null, bytes: bytesOf(content) };
  const end: unknown = await extractDocument(file, { yieldToOthers }).then(
    ({ markdown }) => markdown,
    (error: unknown) => error,
  );
  return { end, looks };
}

export type Expected = string | RegExp | Error;

/** An `Error` is what the file is refused with, a pattern what its text has. */
export async function expectRead(
  reading: ReturnType<typeof extract>,
  expected: Expected,
  notes: string[] = [],
): Promise<void> {
  if (expected instanceof Error) {
    await expect(reading).rejects.toThrow(expected.message);
    return;
  }
  const document = await reading;
  if (typeof expected === "string") expect(document.markdown).toBe(expected);
  else expect(document.markdown).toMatch(expected);
  expect(document.notes).toEqual(notes);
}

type Case = [content: Content, expected: Expected, ...notes: string[]];

/** A test for each: what a file of this name and content reads as, and its notes. */
export function reads(name: string, cases: Record<string, Case>): void {
  it.each(Object.entries(cases))("%s", async (_what, [content, expected, ...notes]) => {
    await expectRead(extract(name, content), expected, notes);
  });
}
