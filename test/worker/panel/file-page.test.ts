import { env, exports } from "cloudflare:workers";
import { afterAll, beforeAll, expect, test } from "vitest";

import { EXTRACTION_FORMAT } from "../../../src/documents/extracted-document.ts";
import { textKey } from "../../../src/sources/file-objects.ts";
import { pageShown } from "../../doubles/openai-compatible/seeing-server.ts";
import { Browser } from "../../support/browser-without-script.ts";
import { encryptedPdf } from "../../support/pdf-of.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { greyPage, scannedPdf, textLine } from "../../support/scanned-pages.ts";
import { statement } from "../../support/statements.ts";
import { call, ORIGIN, signedIn } from "../../support/worker-client.ts";

const FILES = "/file-sources/notes/files";
const PAGE = "/panel/sources/notes/file";
const SCANS = [{ pictures: [], content: textLine("A typed page.") }, { pictures: [greyPage(12)] }];
const NO_FILE = { id: "" as never, content_id: "", file_source_id: "" as never };
const HOSTILE = "<h1>Hi</h1><script>parent.stolen = 1</script>";

const panel = await signedIn();
const admin = new Browser();
const at = (path: string, more = "") => `${PAGE}${more}?path=${encodeURIComponent(path)}`;

beforeAll(async () => {
  await panel.folderWithRag("Notes");
  const metadata = { "X-File-Metadata": JSON.stringify({ year: 2026, labels: ["a"] }) };
  const leave = "# Leave\n\nThere are 26 days of leave.";
  await panel.put(`${FILES}/leave.md`, leave, "text/markdown", metadata);
  await panel.put(`${FILES}/page.html`, HOSTILE, "text/html");
  await panel.put(`${FILES}/drawing.svg`, `<svg>${HOSTILE}</svg>`, "image/svg+xml");
  await panel.put(`${FILES}/old.txt`, new Uint8Array([0xe4, 0x68]), "text/plain");
  await panel.put(`${FILES}/sealed.pdf`, encryptedPdf(), "application/pdf");
  await panel.put(`${FILES}/empty.md`, "");
  await panel.put(`${FILES}/parts.zip`, new Uint8Array([80, 75, 5, 6]), "application/zip");
  await admin.signIn();
  await queuesSettled();
});
afterAll(queuesSettled);

test.each([
  ["sealed.pdf", "PDF is encrypted. Remove the password or the encryption and upload it again."],
  ["empty.md", "no text found. The file has no bytes. If it should have some, upload it again."],
  ["parts.zip", "Convert it to PDF, Word, HTML or text and upload it again."],
])("the page of %s says why it failed and what to do", async (path, explanation) => {
  await admin.open(at(path));
  expect(admin.text).toContain(explanation);
});

test.each([
  ["page.html", "text/html"],
  ["drawing.svg", "image/svg+xml"],
  ["old.txt", "text/plain; charset=utf-8"],
])("the original of %s can run, load and frame nothing", async (path, type) => {
  await admin.open(at(path));
  expect(admin.html).toMatch(/<iframe[^>]* sandbox=""|<img class="frame"/);
  const headers = { Cookie: admin.cookies };
  const original = await call("GET", at(path, "/original"), { headers });
  expect(original.headers.get("Content-Type")).toBe(type);
  const policy = original.headers.get("Content-Security-Policy") ?? "";
  expect(policy.split("; ")).toEqual(
    expect.arrayContaining(["default-src 'none'", "sandbox", "frame-ancestors 'self'"]),
  );
  expect(policy).not.toMatch(/script-src|allow-/);
  expect(original.headers.get("X-Content-Type-Options")).toBe("nosniff");
  expect((await call("GET", at(path, "/original"))).status).toBe(303);
});

test("files that browsers do not show are downloaded, text of old encodings is read", async () => {
  const headers = { Cookie: admin.cookies };
  const zip = await call("GET", at("parts.zip", "/original"), { headers });
  expect(zip.headers.get("Content-Type")).toBe("application/octet-stream");
  expect(zip.headers.get("Content-Disposition")).toBe("attachment; filename*=UTF-8''parts.zip");
  const html = await call("GET", `${at("page.html", "/original")}&download`, { headers });
  expect(html.headers.get("Content-Disposition")).toMatch(/^attachment/);
  const text = await call("GET", at("leave.md", "/original"), { headers });
  expect(text.body).toBe("# Leave\n\nThere are 26 days of leave.");
});

test("a passage and a file are left out of search, listed, and taken in again", async () => {
  const isFound = async () => {
    const request = { semanticSearch: ["days of leave"] };
    const { body } = await panel.send("POST", "/rags/notes/search", request);
    return JSON.stringify(body).includes("26 days");
  };
  await admin.open(at("leave.md"));
  const [, textHash = ""] = /name="textHash" value="(\w+)"/.exec(admin.html) ?? [];
  const passage = { path: "leave.md", textHash, excerpt: "There are", back: "notes" };
  for (const part of [passage, { path: "leave.md" }]) {
    expect(await isFound()).toBe(true);
    const out = await admin.post(`${PAGE}/search`, { ...part, excluded: "on" });
    expect(out.status).toBe(303);
    expect(admin.text).toContain("is left out of every search.");
    expect(await isFound()).toBe(false);
    await admin.open(at("leave.md"));
    expect(admin.text).toMatch(/left out of search.*Include in search/);
    await admin.open("/panel/sources/notes/left-out");
    expect(admin.text).toMatch(/leave\.md.*(whole file|one passage) just now admin@localhost/);
    const back = "/left-out";
    const undone = await admin.post(`${PAGE}/search`, { ...part, excluded: "", back });
    expect(undone.location).toBe("/panel/sources/notes/left-out");
    expect(admin.text).toContain("Nothing is left out of search.");
  }
  expect(await isFound()).toBe(true);
});

test("edited metadata keeps its types, and what is emptied is removed", async () => {
  const values = new URLSearchParams({ path: "leave.md" });
  for (const [name, value] of [
    ["year", "2027"],
    ["labels", "a\nb"],
    ["owner", "ana"],
    ["gone", ""],
  ] as const) {
    values.append("name", name);
    values.append("value", value);
  }
  const answer = await admin.sendRaw(`${PAGE}/metadata`, new Response(values));
  expect(answer.location).toBe(at("leave.md"));
  const { body } = await panel.send("GET", `${FILES}/leave.md`);
  expect(body).toMatchObject({ metadata: { year: 2027, labels: ["a", "b"], owner: "ana" } });
  expect(Object.keys((body as { metadata: object }).metadata)).toHaveLength(3);
});

test("a page that was read from an image is shown next to its picture", async () => {
  await panel.put(`${FILES}/scan.pdf`, scannedPdf(SCANS), "application/pdf");
  await queuesSettled();
  const row = await statement("select * from files where path = 'scan.pdf'").first<never>();
  const { id: fileId, content_id: contentId, file_source_id: sourceId } = row ?? NO_FILE;
  const markdown = "A typed page.\n\n## Gates\n\nThe gates open at six.";
  const pages = [1, 2].map((page) => ({ page, start: page === 1 ? 0 : 15 }));
  const recognised = [{ start: 15, end: markdown.length }];
  const facts = { title: null, language: "en", pages, notes: [], recognised };
  await env.FILES.put(
    textKey({ sourceId, fileId }, contentId),
    `${JSON.stringify(facts)}\n${markdown}`,
    { customMetadata: { format: String(EXTRACTION_FORMAT) } },
  );
  await admin.open(`${at("scan.pdf")}&view=pages`);
  expect(admin.text).toContain("The gates open at six.");
  expect(admin.text).not.toContain("A typed page.");
  const image = /<img class="frame" loading="lazy" src="([^"]+)" alt="Page 2 of scan.pdf"/;
  const [, address = ""] = image.exec(admin.html) ?? [];
  const path = address.replaceAll("&amp;", "&");
  const headers = { Cookie: admin.cookies };
  const response = await exports.default.fetch(new Request(ORIGIN + path, { headers }));
  expect(response.headers.get("Content-Type")).toBe("image/png");
  expect(response.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
  expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
  expect(await pageShown(new Uint8Array(await response.arrayBuffer()), "image/png")).toBe(12);
  expect((await call("GET", path)).status).toBe(303);
  const all = Array.from({ length: 30 }, () => call("GET", path, { headers }));
  const statuses = await Promise.all(all.map(async (each) => (await each).status));
  expect(statuses.filter((status) => status !== 200)).toEqual(Array.from({ length: 9 }, () => 503));
  for (const page of ["1", "3", "0", "x", "4e9"]) {
    const pageAddress = path.replace(/page=2$/, `page=${page}`);
    expect((await call("GET", pageAddress, { headers })).status).toBe(404);
  }
});
