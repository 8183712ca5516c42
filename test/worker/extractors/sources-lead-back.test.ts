import { env } from "cloudflare:workers";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import type { FileId, FileSourceId, RagId } from "../../../src/core/ids.ts";
import { filePrefix } from "../../../src/ingestion/file-objects.ts";
import { getText } from "../../../src/ingestion/kept-text.ts";
import { World } from "../../support/ingestion-world.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { signedIn, withToken } from "../../support/worker-client.ts";

type Glob = (pattern: string, options: { query: string; import: string; eager: true }) => unknown;

const fixtures = (import.meta as unknown as { glob: Glob }).glob(
  "../../fixtures/documents/{pdfkit-report.pdf,xlsx-populate-prices.xlsx,pandoc-slides.pptx}",
  { query: "?inline", import: "default", eager: true },
) as Record<string, string>;

const OIL = "Oil the bearing once a month and note it in the log. ";
const MARKDOWN = `# Pumps\n\nA pump moves water.\n\n## Care\n\n${OIL.repeat(60)}\n\n## Storage\n\n${"Keep the seals away from sunlight. ".repeat(12)}Drain the casing before the first frost.\n`;
const TIMEOUT_MS = 60_000;

let api: ReturnType<typeof withToken>;

beforeAll(async () => {
  const panel = await signedIn();
  await panel.send("POST", "/file-sources", { name: "Papers", provider: "file_system" });
  await panel.send("POST", "/rags", {
    name: "Papers",
    fileSource: "papers",
    chunkSize: 32,
    chunkOverlap: 0,
  });
  const token = await panel.send("POST", "/tokens", { name: "Reader", rags: ["papers"] });
  api = withToken((token.body as { token: string }).token);
  await panel.put("/file-sources/papers/files/pumps.md", MARKDOWN);
  for (const [path, dataUrl] of Object.entries(fixtures)) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const letters = atob(dataUrl.slice(dataUrl.indexOf(",") + 1));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    await panel.put(`/file-sources/papers/files/${name}`, bytes, "application/octet-stream");
  }
  await vi.waitFor(
    async () => {
      const { results } = await env.DB.prepare("select status from rag_files").all();
      expect(results).toEqual(Array.from({ length: 4 }, () => ({ status: "indexed" })));
    },
    { timeout: TIMEOUT_MS, interval: 100 },
  );
}, TIMEOUT_MS);

afterAll(queuesSettled);

type Answer = {
  text: string;
  source: { filePath: string; page: number | null; headings: string[] };
};

test.each([
  ["nächste Prüfung ist im September", "pdfkit-report.pdf", 2, "Zusatz"],
  ["Île-de-France", "xlsx-populate-prices.xlsx", 3, "Überblick"],
  ["needs a permit", "pandoc-slides.pptx", 3, "Open points"],
  ["before the first frost", "pumps.md", null, "Storage"],
])("%s leads to page and heading", async (phrase, filePath, page, heading) => {
  const body = { semanticSearch: [phrase], topK: 50, includeSources: true };
  const { status, body: answer } = await api.post("/rags/papers/retrieve", body);
  expect(status).toBe(200);
  const chunk = (answer as { chunks: Answer[] }).chunks.find(({ text }) => text.includes(phrase));
  expect(chunk?.source).toMatchObject({ filePath, page });
  expect(chunk?.source.headings.at(-1)).toBe(heading);
});

/** The text that a file's passages are places in: kept, or the file itself where it is short text. */
async function storedText(sourceId: FileSourceId, fileId: FileId, path: string) {
  if (path === "pumps.md") return { markdown: MARKDOWN, pages: [] };
  const { objects } = await env.FILES.list({ prefix: `${filePrefix(sourceId, fileId)}text/` });
  const kept = await getText(env.FILES, objects[0]?.key ?? "");
  if (kept === null) throw new Error(`no text is kept of ${path}`);
  return kept;
}

test("every passage stands at its offsets in the stored text, on its page", async () => {
  const rag = await env.DB.prepare("select id, file_source_id as source from rags").first<{
    id: RagId;
    source: FileSourceId;
  }>();
  if (rag === null) throw new Error("there is no RAG");
  const index = new World().index(rag.id);
  const everything = { restriction: { named: null, metadata: [] }, includeDuplicates: true };
  const words = [
    "bearing",
    "casing",
    "compressor",
    "Prüfung",
    "Price",
    "Umsatz",
    "Revenue",
    "permit",
  ];
  const asked = words.map((text) => ({ text, vector: null }));
  const { queries } = await index.candidates({
    queries: asked,
    limitPerLeg: 500,
    lexical: true,
    ...everything,
  });
  const ids = [...new Set(queries.flatMap(({ lexical }) => lexical.map(({ id }) => id)))];
  const chunks = await index.hydrate({ ids, queryVectors: [], ...everything });
  expect(new Set(chunks.map(({ file }) => file.path)).size).toBe(4);
  for (const { file, text, page, start, end } of chunks) {
    const { markdown, pages } = await storedText(rag.source, file.fileId, file.path);
    expect(markdown.slice(start, end)).toBe(text);
    expect(pages.findLast((each) => each.start <= start)?.page ?? null).toBe(page);
  }
});
