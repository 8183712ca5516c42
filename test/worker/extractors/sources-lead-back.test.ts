import { env } from "cloudflare:workers";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

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
let panel: Awaited<ReturnType<typeof signedIn>>;

beforeAll(async () => {
  panel = await signedIn();
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
  await panel.put("/file-sources/papers/files/broken.pdf", "%PDF-1.7 and no more");
  await vi.waitFor(
    async () => {
      const { results } = await env.DB.prepare(
        "select status from rag_files order by status",
      ).all();
      const ends = results.map(({ status }) => status);
      expect(ends).toEqual(["error", "indexed", "indexed", "indexed", "indexed"]);
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

type Place = { filePath: string; page: number | null; start: number; end: number };

test("every passage stands at its offsets in the file's text, and nothing else does", async () => {
  const asked = {
    semanticSearch: ["bearing", "casing", "Prüfung", "Price", "Umsatz", "permit"],
    topK: 100,
    includeSources: true,
    includeDuplicates: true,
  };
  const { body } = await api.post("/rags/papers/retrieve", asked);
  const { chunks } = body as { chunks: { text: string; source: Place }[] };
  expect(new Set(chunks.map(({ source }) => source.filePath)).size).toBe(4);
  for (const { text, source } of chunks) {
    const at = `/file-sources/papers/text/${source.filePath}`;
    const place = await panel.send("GET", `${at}?start=${source.start}&end=${source.end}`);
    expect(place).toMatchObject({ status: 200, body: text });
    const whole = (await panel.send("GET", at)).body as string;
    expect(whole.slice(source.start, source.end)).toBe(text);
  }
});

test.each([
  ["a file that is not there", "none.md", 404],
  ["a file that cannot be read", "broken.pdf", 404],
  ["an offset that is none", "pumps.md?start=-1", 400],
])("the text of %s is refused", async (_, path, status) => {
  expect((await panel.send("GET", `/file-sources/papers/text/${path}`)).status).toBe(status);
});

test("the text of a file that is gone is gone", async () => {
  const { status } = await panel.send("DELETE", "/file-sources/papers/files/pumps.md");
  expect(status).toBe(204);
  expect((await panel.send("GET", "/file-sources/papers/text/pumps.md")).status).toBe(404);
});
