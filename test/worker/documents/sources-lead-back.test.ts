import { env } from "cloudflare:workers";
import { afterAll, beforeAll, expect, test } from "vitest";

import { sha256Hex } from "../../../src/core/hash.ts";
import { putFile } from "../../../src/ingestion/uploads/put-file.ts";
import { eventually } from "../../support/eventually.ts";
import { ragWorld } from "../../support/ingestion-world.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { signedIn, withToken } from "../../support/worker-client.ts";

type Glob = (pattern: string, options: { query: string; import: string; eager: true }) => unknown;

const fixtures = (import.meta as unknown as { glob: Glob }).glob(
  "../../fixtures/documents/{pdfkit-report.pdf,xlsx-populate-prices.xlsx,pandoc-slides.pptx}",
  { query: "?inline", import: "default", eager: true },
) as Record<string, string>;

const OIL = "Oil the bearing once a month and note it in the log. ";
const MARKDOWN = `# Pumps\n\nA pump moves water.\n\n## Care\n\n${OIL.repeat(60)}\n\n## Storage\n\n${"Keep the seals away from sunlight. ".repeat(12)}Drain the casing before the first frost.\n`;
const HEADER = "| berth | vessel | cargo |";
const BERTHS = Array.from(
  { length: 40 },
  (_unused, at) => `| B-${at} | Vessel number ${at} | ${at % 2 === 0 ? "timber" : "salt"} |`,
);
const TABLE = ["# Berths", "", HEADER, "| --- | --- | --- |", ...BERTHS, ""].join("\n");
const FILES = 7;
const RAGS = 2;

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
  await panel.send("POST", "/rags", {
    name: "Overlapping",
    fileSource: "papers",
    chunkSize: 64,
    chunkOverlap: 24,
  });
  const rags = ["papers", "overlapping"];
  api = withToken((await panel.create("/tokens", { name: "Reader", rags })).token);
  await panel.put("/file-sources/papers/files/pumps.md", MARKDOWN);
  await panel.put("/file-sources/papers/files/berths.md", TABLE);
  await panel.put("/file-sources/papers/files/tide-calendar.txt", "High water comes at noon.");
  for (const [path, dataUrl] of Object.entries(fixtures)) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const letters = atob(dataUrl.slice(dataUrl.indexOf(",") + 1));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    await panel.put(`/file-sources/papers/files/${name}`, bytes, "application/octet-stream");
  }
  await panel.put("/file-sources/papers/files/broken.pdf", "%PDF-1.7 and no more");
  await eventually(async () => {
    const { results } = await env.DB.prepare("select status from rag_files order by status").all();
    const ends = results.map(({ status }) => status);
    const errors = Array.from({ length: RAGS }, () => "error");
    const rest = Array.from({ length: RAGS * (FILES - 1) }, () => "indexed");
    expect(ends).toEqual([...errors, ...rest]);
  });
});

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

test("the name of a file is searched, and is no heading", async () => {
  const body = { semanticSearch: ["tide calendar"], searchMode: "keyword", includeSources: true };
  const { body: answer } = await api.post("/rags/papers/retrieve", body);
  const [chunk] = (answer as { chunks: Answer[] }).chunks;
  const source = { filePath: "tide-calendar.txt", headings: [] };
  expect(chunk).toMatchObject({ text: "High water comes at noon.", source });
  const at = "/rags/papers/passages?path=tide-calendar.txt";
  expect((await panel.send("GET", at)).body).toMatchObject({ data: [{ headings: [] }] });
});

type Passage = { text: string; source: Place };
type Place = { filePath: string; page: number | null; start: number; end: number };

async function passages(rag: string, semanticSearch: string[], more = {}): Promise<Passage[]> {
  const request = { semanticSearch, topK: 100, includeSources: true, includeDuplicates: true };
  const { body } = await api.post(`/rags/${rag}/retrieve`, { ...request, ...more });
  return (body as { chunks: Passage[] }).chunks;
}

const inOrder = (list: Passage[]) => list.sort((a, b) => a.source.start - b.source.start);

test("every passage stands at its offsets in the file's text, and nothing else does", async () => {
  const words = ["bearing", "casing", "Prüfung", "Price", "Umsatz", "permit"];
  const chunks = (await passages("papers", words)).filter(
    ({ source }) => !["berths.md", "tide-calendar.txt"].includes(source.filePath),
  );
  expect(new Set(chunks.map(({ source }) => source.filePath)).size).toBe(4);
  for (const { text, source } of chunks) {
    const at = `/file-sources/papers/text/${source.filePath}`;
    const place = await panel.send("GET", `${at}?start=${source.start}&end=${source.end}`);
    // Later rows of a table follow its header, which stands elsewhere.
    const own = text.startsWith("| Topic") ? text.split("\n").at(-1) : text;
    expect(place).toMatchObject({ status: 200, body: own });
    const whole = (await panel.send("GET", at)).body as string;
    expect(whole.slice(source.start, source.end)).toBe(own);
  }
});

test("passages that overlap stand at their offsets as well", async () => {
  const results = await passages("overlapping", ["bearing", "casing", "seals"]);
  const ofPumps = inOrder(results.filter(({ source }) => source.filePath === "pumps.md"));
  expect(ofPumps.length).toBeGreaterThan(5);
  const whole = (await panel.send("GET", "/file-sources/papers/text/pumps.md")).body as string;
  for (const { text, source } of ofPumps) {
    expect(whole.slice(source.start, source.end)).toBe(text);
  }
  const overlapping = ofPumps.filter(
    ({ source }, at) => at > 0 && source.start < (ofPumps[at - 1]?.source.end ?? 0),
  );
  expect(overlapping.length).toBeGreaterThan(0);
});

test("rows of a long table stand at their offsets, after the repeated header", async () => {
  const results = await passages("overlapping", ["berth", "timber", "salt", "Vessel number"]);
  const rows = inOrder(results.filter(({ source }) => source.filePath === "berths.md"));
  expect(rows.length).toBeGreaterThan(5);
  const whole = (await panel.send("GET", "/file-sources/papers/text/berths.md")).body as string;
  expect(whole).toBe(TABLE);
  for (const { text, source } of rows) {
    const place = whole.slice(source.start, source.end);
    expect(place).toMatch(/\| (timber|salt) \|$/);
    expect(text).toContain(place);
    expect(text).toContain(HEADER);
  }
  const places = rows.map(({ source }) => whole.slice(source.start, source.end)).join("\n");
  expect(BERTHS.filter((row) => !places.includes(row))).toEqual([]);
});

test("a text that is newer than the passages says so until these follow", async () => {
  const { world, source, rag } = await ragWorld();
  const push = async (text: string) => {
    const body = new TextEncoder().encode(text).slice().buffer;
    const rest = { contentLength: null, mimeType: "text/markdown", metadata: null };
    await putFile(world.services, { source: { id: source }, path: "a.md", body, ...rest });
  };
  const readText = async () => {
    const { body, headers } = await panel.send("GET", `/file-sources/${source}/text/a.md`);
    return [body, headers.get("X-File-Status"), headers.get("X-File-SHA256")];
  };
  const sha256 = (text: string) => sha256Hex(new TextEncoder().encode(text));
  const [earlier, later] = ["A note: oil it once a month.", "A note: oil it every week."];

  await push(earlier);
  await world.deliver();
  expect(await readText()).toEqual([earlier, "indexed", await sha256(earlier)]);
  await push(later);
  expect(await readText()).toEqual([later, "pending", await sha256(later)]);
  expect((await world.texts(rag))["a.md"]).toEqual([earlier]);
  await world.deliver();
  expect(await readText()).toEqual([later, "indexed", await sha256(later)]);
  expect((await world.texts(rag))["a.md"]).toEqual([later]);
});

test.each([
  ["a file that is not there", "none.md", 404],
  ["a file that cannot be read", "broken.pdf", 404],
  ["an offset that is none", "pumps.md?start=-1", 400],
])("the text of %s is refused", async (_, path, status) => {
  expect((await panel.send("GET", `/file-sources/papers/text/${path}`)).status).toBe(status);
});

test("the text of a deleted file is deleted", async () => {
  const { status } = await panel.send("DELETE", "/file-sources/papers/files/pumps.md");
  expect(status).toBe(204);
  expect((await panel.send("GET", "/file-sources/papers/text/pumps.md")).status).toBe(404);
});
