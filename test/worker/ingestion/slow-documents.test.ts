import { expect, test } from "vitest";

import { putFile } from "../../../src/ingestion/put-file.ts";
import { World, bytesOf } from "../../support/ingestion-world.ts";

const PAGES = 200;
const FIRST_PAGE = 5;

/** Many pages that show the same line. */
function pdfOfManyPages(): string {
  const line = "BT /F 12 Tf 20 100 Td (A note about moss.) Tj ET";
  const numbers = Array.from({ length: PAGES }, (_unused, at) => at + FIRST_PAGE);
  const page =
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /Font << /F 3 0 R >> >> >>";
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${PAGES} /Kids [${numbers.map((each) => `${each} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    `<< /Length ${line.length} >>\nstream\n${line}\nendstream`,
    ...numbers.map(() => page),
  ];
  const body = objects.map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`).join("");
  return `%PDF-1.7\n${body}trailer\n<< /Root 1 0 R >>\n%%EOF`;
}

/** Delivers the PDF and a text behind it; with each look at the clock so many ms have gone by. */
async function deliverWith(stepMs: number) {
  const world = new World();
  const source = await world.addSource();
  const rag = await world.addRag(source);
  for (const [path, text] of [
    ["a.pdf", pdfOfManyPages()],
    ["b.txt", "A note behind it."],
  ] as const) {
    const of = { contentLength: null, mimeType: "application/octet-stream", metadata: null };
    await putFile(world.services, { source: { id: source }, path, body: bytesOf(text), ...of });
  }
  world.services.now = () => (world.now += stepMs);
  await world.deliver();
  return await world.rows(rag);
}

test("a document that is read for more than three minutes is given up between two pages, and the next one is indexed", async () => {
  expect(await deliverWith(0)).toMatchObject([
    { path: "a.pdf", status: "indexed" },
    { path: "b.txt", status: "indexed" },
  ]);
  expect(await deliverWith(20_000)).toMatchObject([
    {
      path: "a.pdf",
      status: "error",
      chunks: 0,
      error: "reading it takes longer than 3 minutes; split it into several",
    },
    { path: "b.txt", status: "indexed" },
  ]);
});
