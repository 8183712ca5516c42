import { afterAll, expect, test } from "vitest";

import { sha256Hex } from "../../../src/core/hash.ts";
import { eventually } from "../../support/eventually.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { call, signedIn } from "../../support/worker-client.ts";

const FILES = "/file-sources/batches/files";

const admin = await signedIn();
await admin.send("POST", "/file-sources", { name: "Batches", provider: "file_system" });
const { key } = await admin.create("/keys", { name: "batch", role: "admin" });
afterAll(queuesSettled);

const pushBatch = async (body: BodyInit, headers: Record<string, string> = {}) =>
  await call("POST", `/panel/api${FILES}`, {
    headers: { Authorization: `Bearer ${key}`, ...headers },
    body,
  });
type BatchAnswer = { files: { path: string; status: number }[] };

test("a batch answers for each file; what is refused spoils no other", async () => {
  await admin.put(`${FILES}/batch/same.md`, "same");
  const before = await audited();
  const form = new FormData();
  const add = (text: string, name: string) => form.append("file", new Blob([text]), name);
  add("new", "batch/new.md");
  add("same", "batch/same.md");
  add("twice", "batch/new.md");
  add("out", "../out.md");
  form.append("a field", "without a file");
  add("x".repeat(4 * 1_024 * 1_024 + 1), "batch/large.md");
  add("na\u00efve", 'batch/M\u0075\u0308ll & "Co".txt');
  const { status, body } = await pushBatch(form);
  expect(status).toBe(200);
  const invalid = (problem: string) => ({ status: 400, error: `Invalid request: ${problem}` });
  expect(body).toEqual({
    files: [
      { path: "batch/new.md", status: 201, size: 3, sha256: await sha256Hex("new"), changed: true },
      {
        path: "batch/same.md",
        status: 200,
        size: 4,
        sha256: await sha256Hex("same"),
        changed: false,
      },
      { path: "batch/new.md", ...invalid("path was given before in this batch") },
      { path: "../out.md", ...invalid("path must not have a . or .. segment") },
      { path: "", ...invalid("path is required") },
      { path: "batch/large.md", status: 413, error: expect.stringContaining("at most 4 MiB") },
      expect.objectContaining({ path: 'batch/M\u00fcll & "Co".txt', status: 201, size: 6 }),
    ],
  });
  const { body: listing } = await admin.send("GET", `${FILES}?path=batch`);
  expect(listing).toMatchObject({
    data: [
      { filePath: 'batch/M\u00fcll & "Co".txt', mimeType: "text/plain" },
      { filePath: "batch/new.md", mimeType: "text/markdown" },
      { filePath: "batch/same.md", mimeType: "text/markdown" },
    ],
    total: 3,
  });
  await eventually(async () => expect(await audited()).toBe(before + 3));
});

/** How many files of the source the audit trail says were put. */
async function audited(source = "batches"): Promise<number> {
  const { body } = await admin.send("GET", "/audit?action=file-sources.files.put&limit=100");
  const { data } = body as { data: { target: string; status: number; count: number }[] };
  const ours = data.filter(({ target, status }) => target === source && status < 300);
  return ours.reduce((sum, { count }) => sum + count, 0);
}

test("a part of a batch has its path, type and metadata as a single file has", async () => {
  const part = (headers: string[], text: string) =>
    `--b\r\n${headers.join("\r\n")}\r\n\r\n${text}\r\n`;
  const file = (path: string, ...more: string[]) =>
    part(
      ['Content-Disposition: form-data; name="f"; filename="x"', `X-File-Path: ${path}`, ...more],
      path,
    );
  const body = [
    file(
      "parts/100%25%2520.txt",
      "Content-Type: text/markdown",
      'X-File-Metadata: {"labels":["ü"]}',
    ),
    file("parts/wrong.md", "X-File-Metadata: [1]"),
    file("parts/%zz.md"),
  ].join("");
  const multipart = { "Content-Type": "multipart/form-data; boundary=b" };
  const first = await pushBatch(`${body}--b--`, multipart);
  expect((first.body as BatchAnswer).files.map((entry) => [entry.path, entry.status])).toEqual([
    ["parts/100%%20.txt", 201],
    ["parts/wrong.md", 400],
    ["parts/%zz.md", 400],
  ]);
  const detail = await admin.send("GET", `${FILES}/parts/100%25%2520.txt`);
  expect(detail.body).toMatchObject({ mimeType: "text/markdown", metadata: { labels: ["ü"] } });
  const readersOf = async (path: string) =>
    (await admin.send("GET", `${FILES}/${path}/readers`)).body;
  const filePart = file("parts/hr.md", 'X-File-Readers: ["group:HR"]');
  const wrong = file("parts/ann.md", 'X-File-Readers: ["ann"]');
  const pushed = await pushBatch(`${filePart}${wrong}--b--`, multipart);
  expect((pushed.body as BatchAnswer).files.map(({ status }) => status)).toEqual([201, 400]);
  const readers = [{ principal: "group:hr", from: "push" }];
  expect(await readersOf("parts/hr.md")).toMatchObject({ readers });
  expect(await readersOf("parts/100%25%2520.txt")).toMatchObject({ readers: null });
  // Without metadata the file keeps what it has.
  const plain = file("parts/100%25%2520.txt", "Content-Type: text/markdown");
  const secondPush = await pushBatch(`${plain}--b--`, multipart);
  expect((secondPush.body as BatchAnswer).files).toMatchObject([{ status: 200, changed: false }]);

  const statusOf = async (content: BodyInit, headers: Record<string, string> = multipart) =>
    (await pushBatch(content, headers)).status;
  expect(await statusOf(body)).toBe(400);
  expect(await statusOf(`${body}--b--`, { "Content-Type": "text/plain" })).toBe(400);
  expect(await statusOf(`${part(["A: 1"], "").repeat(501)}--b--`)).toBe(413);
  expect(await statusOf(new Uint8Array(32 * 1_024 * 1_024 + 1))).toBe(413);
  expect(await statusOf(`${body}--b--`, { ...multipart, "Content-Encoding": "gzip" })).toBe(415);
});

test.for<[disposition: string, path: string]>([
  [String.raw`filename="names/a\"b.md"`, 'names/a"b.md'],
  [String.raw`filename="names/end\\"; x="y"`, "names/end\\"],
  ['filename="names/%22.md"', 'names/".md'],
  ["filename=names/token.md", "names/token.md"],
  ['filename="=?utf-8?B?bmFtZXMvaMOkdXNlci5tZA==?="', "names/h\u00e4user.md"],
  [`filename="names/x.md"; filename*=UTF-8''names%2Fna%C3%AFve%20%22.md`, 'names/na\u00efve ".md'],
  [`filename*=utf-8'en'names/%25.md`, "names/%.md"],
  [`filename*=iso-8859-1''%E4.md; filename="names/plain.md"`, "names/plain.md"],
  [String.raw`x="; filename=\"other.md\""; filename="names/own.md"`, "names/own.md"],
])("a file of a batch is named by %s", async ([disposition, path]) => {
  const head = `Content-Disposition: form-data; name="file"; ${disposition}`;
  const multipart = { "Content-Type": "multipart/form-data; boundary=b" };
  const { body } = await pushBatch(`--b\r\n${head}\r\n\r\nA name.\r\n--b--`, multipart);
  expect(body).toMatchObject({ files: [{ path, status: 201 }] });
});

test("names that are no UTF-8 are refused, each for itself, for two could become one", async () => {
  const part = (head: string) =>
    `--b\r\nContent-Disposition: form-data; name="file"; filename="${head}\r\n\r\ntext\r\n`;
  const names = [
    'gr\u00f6\u00dfe.md"',
    'x"\r\nX-File-Path: gr\u00e4\u00dfe.md',
    'x"\r\nX-File-Path: latin/gr%C3%B6.md',
  ];
  const body = Buffer.from(`${names.map(part).join("")}--b--`, "latin1");
  const response = await pushBatch(body, { "Content-Type": "multipart/form-data; boundary=b" });
  const { files } = response.body as BatchAnswer;
  expect(files.map(({ status }) => status)).toEqual([400, 400, 201]);
});

test("a batch without a file is refused", async () => {
  const { status, body } = await pushBatch(new FormData());
  expect([status, body]).toEqual([400, { error: "Invalid request: the body has no file" }]);
});

test("a batch that breaks off answers with what it stored, and the trail counts that", async () => {
  await admin.send("POST", "/file-sources", { name: "Broken", provider: "file_system" });
  const pushBroken = async (body: string) =>
    await call("POST", "/panel/api/file-sources/broken/files", {
      headers: {
        Authorization: `Bearer ${key}`,
        "Content-Type": "multipart/form-data; boundary=b",
      },
      body,
    });
  const part = (name: string, text: string) =>
    `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n${text}\r\n`;
  const large = (name: string) => part(`broken/${name}.txt`, `${name} `.repeat(1_500_000));
  const answer = await pushBroken(`${large("a")}${large("b")}${large("c")}--b`);
  expect(answer.status).toBe(200);
  expect((answer.body as BatchAnswer).files).toMatchObject([
    { path: "broken/a.txt", status: 201 },
    { path: "broken/b.txt", status: 201 },
    { path: "broken/c.txt", status: 201 },
    { path: "", status: 400, error: expect.stringContaining("not a complete multipart body") },
  ]);
  await eventually(async () => expect(await audited("broken")).toBe(3));
  // A batch that breaks off earlier stores nothing, and is refused.
  expect((await pushBroken(`${part("broken/d.txt", "short")}--b`)).status).toBe(400);
  const { body } = await admin.send("GET", "/file-sources/broken/files");
  expect(body).toMatchObject({ total: 3 });
});
