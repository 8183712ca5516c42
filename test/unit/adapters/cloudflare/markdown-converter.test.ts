import { beforeEach, expect, test } from "vitest";

import { markdownConverter } from "../../../../src/adapters/cloudflare/markdown-converter.ts";
import { WorkersAiDouble } from "../../../doubles/workers-ai/workers-ai-double.ts";

let ai: WorkersAiDouble;
beforeEach(() => {
  ai = new WorkersAiDouble();
  ai.documents.set("read.pdf", ["The lock gates open at 6:15.", "Bring boots."]);
  ai.documents.set("scan.pdf", ["", ""]);
});

const convert = (name: string, gatewayId?: string) =>
  markdownConverter(ai as unknown as Ai, gatewayId).toMarkdown(
    name,
    "application/pdf",
    new Uint8Array([1]),
  );

test("a file's properties are not taken for its text", async () => {
  const text = await convert("read.pdf");
  expect(text).toContain("The lock gates open at 6:15.");
  expect(text).not.toContain("PDFFormatVersion");
});

test("a scan in which nothing can be read has no text, whatever headings come with it", async () => {
  expect(await convert("scan.pdf")).toBe("");
});

test("a missing capacity is tried again, a file that cannot be converted says why", async () => {
  ai.fail("markdown", { kind: "status", status: 429 }, 2);
  expect(await convert("read.pdf")).toContain("Bring boots.");
  expect(ai.conversions).toHaveLength(3);
  await expect(convert("other.pdf")).rejects.toThrow("document converter: not a PDF");
});

test("it goes through the AI Gateway that is named, and through none otherwise", async () => {
  await convert("read.pdf", "gate");
  await convert("read.pdf");
  expect(ai.conversions.map(({ options }) => options?.gateway)).toEqual([
    { id: "gate" },
    undefined,
  ]);
});
