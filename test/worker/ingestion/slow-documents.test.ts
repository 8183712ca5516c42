import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { bytesOf, ragWorld } from "../../support/ingestion-world.ts";
import { lineOf, pagesOf } from "../../support/pdf-of.ts";
import { bedsOf, LONG_FILES } from "../../support/long-files.ts";

const PAGES = 200;
const TOO_LONG = "reading it takes longer than 3 minutes; split it into several";

/** Many pages that show the same line. */
const pdfOfManyPages = () =>
  pagesOf(Array<string>(PAGES).fill(lineOf(100, "[(A note about moss.)]"))).slice().buffer;

const longFile = (name: string, rows: number) => {
  const content = LONG_FILES[name]?.(bedsOf(rows)) ?? "";
  return typeof content === "string" ? bytesOf(content) : content.slice().buffer;
};

/**
 * Delivers the file and a text behind it; with each look at the clock so many ms have gone by.
 * `onLook` is told what the clock says.
 */
async function deliver(
  path: string,
  body: ArrayBuffer,
  stepMs: number,
  onLook: (now: number) => void = () => undefined,
) {
  const { world, source, rag } = await ragWorld();
  for (const file of [
    { path, body },
    { path: "z.txt", body: bytesOf("A note behind it.") },
  ]) {
    await world.put(source, file.path, file.body, { mimeType: "application/octet-stream" });
  }
  world.services.now = () => {
    world.now += stepMs;
    onLook(world.now);
    return world.now;
  };
  await world.deliver();
  return { rows: await world.rows(rag), source };
}

/** Of the texts that are kept of a source's files, in characters. */
const keptLengths = async (source: string) => {
  const { objects } = await env.FILES.list({ prefix: `sources/${source}/` });
  return objects.filter(({ key }) => key.includes("/text/")).map(({ size }) => size);
};

test("a document that takes over three minutes is given up, and the next is indexed", async () => {
  const pdf = pdfOfManyPages();
  expect((await deliver("a.pdf", pdf, 0)).rows).toMatchObject([
    { path: "a.pdf", status: "indexed" },
    { path: "z.txt", status: "indexed" },
  ]);
  expect((await deliver("a.pdf", pdf, 20_000)).rows).toMatchObject([
    { path: "a.pdf", status: "error", chunks: 0, error: TOO_LONG },
    { path: "z.txt", status: "indexed" },
  ]);
});

test("a document that is read in time, but not cut, is given up as well", async () => {
  const { rows, source } = await deliver("beds.txt", longFile("beds.txt", 30_000), 11_000);
  expect(rows).toMatchObject([
    { path: "beds.txt", status: "error", chunks: 0, error: TOO_LONG },
    { path: "z.txt", status: "indexed" },
  ]);
  expect(Math.max(...(await keptLengths(source)))).toBeGreaterThan(30_000 * 100);
});

test("a long document's lease is renewed, so nobody else takes it up", async () => {
  const seen: Promise<{ clock: number; until: number } | null>[] = [];
  const look = async (clock: number) => {
    const row = await env.DB.prepare(
      "select leased_until as until from rag_files where path = 'held.docx' and status = 'processing'",
    ).first<{ until: number }>();
    return row && { clock, until: row.until };
  };
  const body = longFile("beds.docx", 30_000);
  const { rows } = await deliver("held.docx", body, 20_000, (now) => seen.push(look(now)));
  expect(rows[0]).toMatchObject({ path: "held.docx", error: TOO_LONG });
  const holds = (await Promise.all(seen)).filter((hold) => hold !== null);
  expect(holds.filter(({ clock, until }) => until <= clock)).toEqual([]);
  // Once when it is claimed, once when it is begun, and then while it is read.
  expect(new Set(holds.map(({ until }) => until)).size).toBeGreaterThan(3);
});
