import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import type { RequestListener, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";

import { dataOf, panelApi, publicApi } from "../../../src/cli/api/clients.ts";
import { patientFetch } from "../../../src/cli/api/patient-fetch.ts";
import { streamInference } from "../../../src/cli/api/stream-inference.ts";
import { readManifest } from "../../../src/cli/push/plan-push.ts";
import { uploadFiles } from "../../../src/cli/push/upload-files.ts";
import { listen } from "../../doubles/listen.ts";

/** A loopback server that says what a service in trouble says. */
async function saying(handle: RequestListener) {
  const { address, stop } = await listen(handle);
  onTestFinished(stop);
  return address;
}

function answer(response: ServerResponse, status: number, body: unknown) {
  response.writeHead(status, { "Content-Type": "application/json", Connection: "close" });
  response.end(JSON.stringify(body));
}

const folder = mkdtempSync(join(tmpdir(), "quarry-send-"));
afterAll(() => rmSync(folder, { recursive: true }));

const CHANGED = "2026-03-01T09:00:00.000Z";

function localFile(path: string) {
  const absolutePath = join(folder, path);
  mkdirSync(join(absolutePath, ".."), { recursive: true });
  writeFileSync(absolutePath, `text of ${path}`);
  return { path, absolutePath, size: 1, modifiedAt: Date.parse(CHANGED) };
}

type Call = { url: string; type: string; modified: string | undefined; body: string };

/** Records calls to the service; `statuses`: its first answers, null: a broken one. */
async function receiving(statuses: (number | null)[], last: unknown) {
  const calls: Call[] = [];
  const url = await saying((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (piece: string) => (body += piece));
    request.on("end", () => {
      const type = request.headers["content-type"] ?? "";
      const modified = request.headers["x-file-modified"]?.toString();
      calls.push({ url: request.url ?? "", type, modified, body });
      const status = statuses[calls.length - 1];
      if (status !== null) return answer(response, status ?? 200, last);
      response.writeHead(201, { "Content-Type": "application/json", "Content-Length": "100" });
      response.write('{"path":', () => response.destroy());
      return undefined;
    });
  });
  return { url, calls };
}

test("an upload is repeated after 503, 429 and a broken answer, at its escaped path", async () => {
  const { url, calls } = await receiving([503, 429, null], { changed: true });
  const files = [localFile("a b/100%?ü.md")];
  expect(await uploadFiles(panelApi(url, "key"), "docs", files)).toEqual([null]);
  const path = "/panel/api/file-sources/docs/files/a%20b/100%25%3F%C3%BC.md";
  const body = "text of a b/100%?ü.md";
  const call = { url: path, type: "text/markdown", modified: CHANGED, body };
  expect(calls).toEqual([call, call, call, call]);
});

test("a batch of files is repeated after 503, whole and with every name", async () => {
  const result = { files: [{ status: 201 }, { status: 400, error: "no" }] };
  const { url, calls } = await receiving([503], result);
  const batch = ['a b/"ü".md', "c.txt"].map(localFile);
  const reasons = await uploadFiles(panelApi(url, "key"), "docs", batch);
  expect(reasons).toEqual([null, "no (400)"]);
  const [first, second] = calls;
  expect(second).toEqual(first);
  const boundary = /boundary=(\S+)/.exec(first?.type ?? "")?.[1] ?? "";
  expect(first?.body.split(`--${boundary}`).slice(1, -1)).toEqual([
    expect.stringMatching(/X-File-Path: a%20b\/%22%C3%BC%22\.md\r\n[^]*\r\n\r\ntext of a b/),
    expect.stringMatching(
      /X-File-Path: c\.txt\r\nX-File-Modified: 2026-03-01T09:00:00\.000Z\r\n[^]*\r\n\r\ntext of c\.txt\r\n$/,
    ),
  ]);
});

test("a wait for the rate limit is announced, once for parallel calls", async () => {
  let calls = 0;
  const baseUrl = await saying((_request, response) => {
    if (++calls <= 2) response.setHeader("Retry-After", "1");
    answer(response, calls <= 2 ? 429 : 200, {});
  });
  const notices: string[] = [];
  const fetch = patientFetch({
    baseUrl,
    credential: "it",
    tell: (line) => void notices.push(line),
  });
  await Promise.all(["/a", "/b"].map((path) => fetch(new Request(baseUrl + path))));
  expect(notices).toEqual([`Rate limit of ${baseUrl} reached. Continuing in 1 s.`]);
});

test("a POST that failed inside is not repeated", async () => {
  const { url, calls } = await receiving([502, 200], { error: "openai: 500" });
  const params = { path: { identifier: "x" } };
  const run = publicApi(url, "qry_x").POST("/api/inferences/{identifier}", {
    params,
    body: { prompt: "?" },
  });
  await expect(run).rejects.toThrow("inference x: openai: 500 (502).");
  expect(calls).toHaveLength(1);
});

test("a refused token, a missing RAG and a silent server are reported plainly", async () => {
  let [status, error] = [401, "x"];
  const url = await saying((_request, response) => answer(response, status, { error }));
  const params = { path: { identifier: "docs" } };
  const rag = (at: string) => publicApi(at, "qry_x").GET("/api/rags/{identifier}", { params });
  await expect(rag(url)).rejects.toThrow(/refused the credentials.*Check QUARRY_TOKEN/);
  status = 404;
  await expect(rag(url)).rejects.toThrow(`There is no RAG docs at ${url}`);
  const file = { path: { id: "docs", path: "a/nope.md" } };
  const readers = "/file-sources/{id}/files/{path}/readers";
  const body = { reader: "ann@x.org" };
  for (const call of [
    panelApi(url, "k").GET(readers, { params: file }),
    panelApi(url, "k").POST(`${readers}/check`, { params: file, body }),
  ])
    await expect(call).rejects.toThrow(`There is no a/nope.md at ${url}`);
  error = "Not found: there is no docs";
  const archive = panelApi(url, "k").GET("/archive", { params: { query: { rags: "docs" } } });
  await expect(archive).rejects.toThrow("Not found: there is no docs (404).");
  [status, error] = [403, "Forbidden: this caller may not name a reader"];
  await expect(rag(url)).rejects.toThrow("RAG docs: Forbidden: this caller may not name a reader");
  error = "Forbidden";
  await expect(rag(url)).rejects.toThrow("QUARRY_TOKEN does not cover this: RAG docs");
  [status, error] = [400, "Invalid request: name the reader in Quarry-Reader"];
  await expect(rag(url)).rejects.toThrow("RAG docs: Invalid request: name the reader with --as");
  const nowhere = /Cannot reach http:\/\/127.0.0.1:1 \((?!TypeError)/;
  await expect(rag("http://127.0.0.1:1")).rejects.toThrow(nowhere);
});

test("another program than Quarry is recognised by its answer", async () => {
  const url = await saying((_request, response) => response.end("<html>"));
  const call = dataOf(publicApi(url, "qry_x").GET("/api/inferences"));
  await expect(call).rejects.toThrow("is not Quarry: it answered GET /api/inferences");
  const [status, headers] = [302, { Location: "https://login.example/?back=x" }];
  const guarded = await saying((_request, response) => response.writeHead(status, headers).end());
  const redirected = dataOf(publicApi(guarded, "qry_x").GET("/api/inferences"));
  await expect(redirected).rejects.toThrow("redirected to https://login.example/ (302).");
});

test("the manifest is read to its last page", async () => {
  const url = await saying((request, response) => {
    const second = request.url?.includes("cursor=next%201") === true;
    const file = (path: string) => ({ path, size: 1, sha256: "0" });
    answer(response, 200, {
      files: [file(second ? "b" : "a")],
      cursor: second ? null : "next 1",
    });
  });
  expect([...(await readManifest(panelApi(url, "key"), "docs")).keys()]).toEqual(["a", "b"]);
});

test("a streamed answer is told as it comes, and ends with its result or its error", async () => {
  const run = { response: [{ type: "text", text: "26 days." }], items: [] };
  const begin = [": \n\n", 'event: retrieval\ndata: {"items":[]}\n\n'];
  const deltas = [
    'event: delta\ndata: {"text":"26 d"}\n\n',
    'event: delta\ndata: {"text":"ays."}\n\n',
  ];
  let last = `event: result\ndata: ${JSON.stringify(run)}\n\n`;
  const accepted: unknown[] = [];
  const url = await saying((request, response) => {
    accepted.push(request.headers.accept);
    response.writeHead(200, { "Content-Type": "text/event-stream", Connection: "close" });
    response.end([...begin, ...deltas, last].join(""));
  });
  const ask = async () => {
    const texts: string[] = [];
    const api = publicApi(url, "qry_x");
    const add = (text: string) => void texts.push(text);
    const { run: answered } = await streamInference(api, "ask", { prompt: "?" }, add);
    return { answered, texts };
  };
  expect(await ask()).toEqual({ answered: run, texts: ["26 d", "ays."] });
  expect(accepted).toEqual(["text/event-stream"]);
  last = 'event: error\ndata: {"error":"Model call failed: no answer"}\n\n';
  await expect(ask()).rejects.toThrow("inference ask: Model call failed: no answer.");
  last = "event: result\nda";
  await expect(ask()).rejects.toThrow("inference ask: the answer broke off.");
});
