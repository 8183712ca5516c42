import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, expect, test } from "vitest";

import { panelApi } from "../../../src/cli/api/panel-api.ts";
import { publicApi } from "../../../src/cli/api/public-api.ts";
import { send } from "../../../src/cli/api/send.ts";
import { sourceLines } from "../../../src/cli/demo/show-answers.ts";

let server: Server | undefined;
afterEach(() => new Promise<void>((closed) => (server ? server.close(() => closed()) : closed())));

/** A loopback server that says what a service in trouble says. */
async function listen(handle: (request: IncomingMessage, response: ServerResponse) => void) {
  const started = createServer(handle);
  server = started;
  await new Promise<void>((ready) => started.listen(0, "127.0.0.1", ready));
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
}

function answer(response: ServerResponse, status: number, body: unknown) {
  response.writeHead(status, { "Content-Type": "application/json", Connection: "close" });
  response.end(JSON.stringify(body));
}

test("an upload is tried again after 503 and 429", async () => {
  const statuses = [503, 429, 201];
  let calls = 0;
  const url = await listen((request, response) => {
    request.resume();
    request.on("end", () => {
      const status = statuses[calls++] ?? 500;
      answer(response, status, { path: "a", size: 1, sha256: "x", changed: true });
    });
  });
  const stored = await panelApi(url, "key").putFile("docs", "a b/ü.md", new Uint8Array(1), "x/y");
  expect(stored.changed).toBe(true);
  expect(calls).toBe(3);
});

test("a batch of files is tried again after 503, whole and with every name", async () => {
  const bodies: string[] = [];
  const url = await listen((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (piece: string) => (body += piece));
    request.on("end", () => {
      bodies.push(`${request.headers["content-type"] ?? ""}\r\n${body}`);
      const files = [{ status: 201 }, { status: 400, error: "no" }];
      answer(response, bodies.length === 1 ? 503 : 200, { files });
    });
  });
  const batch = ['a b/"ü".md', "c.txt"].map((path) => {
    return { path, data: new TextEncoder().encode(`text of ${path}`), contentType: "text/plain" };
  });
  const answers = await panelApi(url, "key").putFiles("docs", batch);
  expect(answers).toEqual([{ status: 201 }, { status: 400, error: "no" }]);
  const [first = "", second] = bodies;
  expect(second).toBe(first);
  const boundary = /boundary=(\S+)/.exec(first)?.[1] ?? "";
  const parts = first.split(`--${boundary}`).slice(1, -1);
  expect(parts).toEqual([
    expect.stringMatching(/X-File-Path: a%20b\/%22%C3%BC%22\.md\r\n[^]*\r\n\r\ntext of a b/),
    expect.stringMatching(/X-File-Path: c\.txt\r\n[^]*\r\n\r\ntext of c\.txt\r\n$/),
  ]);
});

test("a wait for the rate window is said, once for calls side by side", async () => {
  let calls = 0;
  const url = await listen((_request, response) => {
    if (++calls <= 2) response.setHeader("Retry-After", "1");
    answer(response, calls <= 2 ? 429 : 200, {});
  });
  const said: string[] = [];
  const tell = (line: string) => void said.push(line);
  const target = { baseUrl: url, headers: {}, credential: "it", tell };
  await Promise.all([send(target, { path: "/a" }), send(target, { path: "/b" })]);
  expect(said).toEqual([`${url} takes no more calls for now (rate limit); going on in 1 s.`]);
});

test("a POST that failed inside is not repeated", async () => {
  let calls = 0;
  const url = await listen((_request, response) => {
    calls++;
    answer(response, 502, { error: "openai: 500" });
  });
  const target = { baseUrl: url, headers: {}, credential: "it" };
  const run = send(target, { method: "POST", path: "/x", json: {}, what: "inference x" });
  await expect(run).rejects.toThrow("inference x: openai: 500 (502).");
  expect(calls).toBe(1);
});

test("a refused token, a missing RAG and a silent server are told plainly", async () => {
  let status = 401;
  const url = await listen((_request, response) => answer(response, status, { error: "x" }));
  const api = publicApi(url, "qry_wrong");
  await expect(api.rag("docs")).rejects.toThrow(/refused the credentials.*Check QUARRY_TOKEN/);
  status = 404;
  await expect(api.rag("docs")).rejects.toThrow(`There is no RAG docs at ${url}`);
  const nowhere = publicApi("http://127.0.0.1:1", "qry_x");
  await expect(nowhere.rag("docs")).rejects.toThrow(
    /Cannot reach http:\/\/127.0.0.1:1 \((?!TypeError)/,
  );
});

test("each segment of a path is escaped, its slashes are not", async () => {
  let asked = "";
  const url = await listen((request, response) => {
    asked = request.url ?? "";
    answer(response, 200, { path: "", size: 0, sha256: "", changed: false });
  });
  await panelApi(url, "key").putFile("docs", "a b/100%?.md", new Uint8Array(1), "x/y");
  expect(asked).toBe("/panel/api/file-sources/docs/files/a%20b/100%25%3F.md");
});

test("the manifest is read to its last page", async () => {
  const url = await listen((request, response) => {
    const second = request.url?.includes("cursor=next%201") === true;
    const file = (path: string) => ({ path, size: 1, sha256: "0" });
    answer(response, 200, {
      files: [file(second ? "b" : "a")],
      cursor: second ? null : "next 1",
    });
  });
  expect([...(await panelApi(url, "key").manifest("docs")).keys()]).toEqual(["a", "b"]);
});

test("an upload whose answer breaks off is tried again", async () => {
  let calls = 0;
  const url = await listen((request, response) => {
    request.resume();
    request.on("end", () => {
      if (++calls > 1) return answer(response, 200, { changed: false });
      response.writeHead(201, { "Content-Type": "application/json", "Content-Length": "100" });
      response.write('{"path":', () => response.destroy());
      return undefined;
    });
  });
  const stored = await panelApi(url, "key").putFile("docs", "a.md", new Uint8Array(1), "x/y");
  expect(stored.changed).toBe(false);
  expect(calls).toBe(2);
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
  const url = await listen((request, response) => {
    accepted.push(request.headers.accept);
    response.writeHead(200, { "Content-Type": "text/event-stream", Connection: "close" });
    response.end([...begin, ...deltas, last].join(""));
  });
  const ask = async () => {
    const texts: string[] = [];
    const api = publicApi(url, "qry_x");
    const answered = await api.streamInference("ask", { prompt: "?" }, (text) => texts.push(text));
    return { answered, texts };
  };
  expect(await ask()).toEqual({ answered: run, texts: ["26 d", "ays."] });
  expect(accepted).toEqual(["text/event-stream"]);
  last = 'event: error\ndata: {"error":"Model call failed: no answer"}\n\n';
  await expect(ask()).rejects.toThrow("inference ask: Model call failed: no answer.");
  last = "event: result\nda";
  await expect(ask()).rejects.toThrow("inference ask: the answer broke off.");
});

test("the sources of an answer are those that it cites, each once", () => {
  const source = {
    filePath: "leave.md",
    name: "leave.md",
    page: 3,
    headings: ["Leave", "Holiday"],
  };
  const items = [
    { text: "a", score: 1, source: { ...source, filePath: "other.md", page: null, headings: [] } },
    { text: "b", score: 1, source },
  ];
  const citations = [{ item: 1 }, { item: 1 }];
  const cited = { response: [{ type: "text", text: "x", citations }], items };
  expect(sourceLines(cited)).toEqual(["Sources:", "- leave.md, page 3 › Leave › Holiday"]);
  expect(sourceLines({ response: { answer: 1 }, items })).toHaveLength(3);
});
