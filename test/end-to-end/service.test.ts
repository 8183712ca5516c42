import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { request, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { unstable_getMiniflareWorkerOptions as workerOptionsOf } from "wrangler";

import { PROJECT } from "../../src/cli/installation.ts";
import type { RunningWorker } from "../../src/cli/worker/start-worker.ts";
import { askDatabase } from "../../src/cli/worker/workerd.ts";
import { makeRag, scratchFolder, startService } from "./local-service.ts";
import { freePort } from "./run-cli.ts";

/** As `wrangler dev` and miniflare answer them, in this and earlier versions. */
const DEVELOPMENT_PATHS =
  `/cdn-cgi/explorer /cdn-cgi/explorer/api/d1/database/x/raw /cdn-cgi/handler/scheduled
  /cdn-cgi/handler/email /cdn-cgi/local /cdn-cgi/local/email /cdn-cgi/local/explorer /cdn-cgi/local/explorer/api/d1/database
  /cdn-cgi/local/explorer/api/r2/buckets /cdn-cgi/local/explorer/api/storage/kv/namespaces /cdn-cgi/local/platform-proxy
  /cdn-cgi/local/r2/public/quarry-files/a /cdn-cgi/local/r2/s3/quarry-files /cdn-cgi/local/scheduled /cdn-cgi/mf/reload
  /cdn-cgi/mf/scheduled /cdn-cgi/mf/stream /cdn-cgi/ProxyWorker/play /cdn-cgi/InspectorProxyWorker/websocket
  /cdn-cgi/pages-plugins/a /cdn-cgi/images/a /cdn-cgi/ /core/log /core/error /__scheduled
  /__cf_local/stream /__cf_local/imagedelivery /__cf_local/imageupload`.split(/\s+/);
/** Headers that miniflare's own proxies and objects listen to. */
const DEVELOPMENT_HEADERS = {
  "MF-Op": "GET",
  "MF-Op-Target": "DB",
  "MF-Namespace": "quarry-programs",
  "MF-Route-Override": "quarry",
  "MF-CF-Blob": '{"miniflare":{"name":"x"}}',
  "MF-Original-URL": "http://localhost/cdn-cgi/local/explorer",
};

const scratch = scratchFolder();
const state = join(scratch.path, "state");
let port = 0;
let service: RunningWorker | undefined;

/** An object of any of our classes, with a database. */
const STORING = `
import { DurableObject } from "cloudflare:workers";
class Storing extends DurableObject {
  async store() { await this.ctx.storage.put("key", "value"); }
}
export { Storing as RateWindow, Storing as RagIndex, Storing as Clock, Storing as DriveDebounce };
export { Storing as SpendingLedger, Storing as EventSender, Storing as RequestRecords };
export default {
  async fetch(_request, env) {
    const { DB, FILES, OAUTH_KV, RATE_WINDOW, RAG_INDEX, CLOCK, DRIVE_DEBOUNCE } = env;
    await DB.exec("create table notes (text); insert into notes values ('of wrangler')");
    await Promise.all([FILES.put("key", "value"), OAUTH_KV.put("key", "value")]);
    const others = [env.SPENDING_LEDGER, env.EVENT_SENDER, env.REQUEST_RECORDS];
    const objects = [RATE_WINDOW, RAG_INDEX, CLOCK, DRIVE_DEBOUNCE, ...others];
    await Promise.all(objects.map((namespace) => namespace.getByName("any").store()));
    return new Response();
  },
};`;

/** Writes to every store of a state folder with miniflare, as `wrangler dev` does. */
async function storeAsWrangler(): Promise<void> {
  const { workerOptions } = workerOptionsOf(join(PROJECT, "wrangler.toml"));
  const { assets: _assets, modulesRules: _rules, ...options } = workerOptions;
  const workers = [{ ...options, name: "quarry", modules: true, script: STORING }];
  const resourcePersistencePath = join(state, "v3");
  const miniflare = new Miniflare(convertV4MiniflareOptions({ workers, resourcePersistencePath }));
  expect((await miniflare.dispatchFetch("http://localhost")).status).toBe(200);
  await miniflare.dispose();
}

/** Files of databases, buckets and namespaces; folders of objects. */
const storesOf = () =>
  readdirSync(join(state, "v3"), { recursive: true, encoding: "utf8" })
    .filter((name) => /^(?:d1|kv|r2)\/.*\.sqlite$|^do\/[^/]+$/.test(name))
    .toSorted();

let ofWrangler: string[] = [];

beforeAll(async () => {
  await storeAsWrangler();
  ofWrangler = storesOf();
  port = await freePort();
  service = await startService(state, port);
});
afterAll(async () => {
  await service?.stop();
  scratch.remove();
});

/** With any Host header, which fetch does not send. */
async function answerTo(method: string, path: string, headers: Record<string, string>) {
  const outgoing = request({ host: "127.0.0.1", port, path, method, headers }).end();
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once("response", resolve).once("error", reject);
  });
  return { status: answer.statusCode, body: await text(answer) };
}

test("no door of a development server opens, whatever the Host header says", async () => {
  const ours = { status: 404, body: '{"error":"Not found"}' };
  for (const path of DEVELOPMENT_PATHS) {
    for (const host of [`localhost:${port}`, "localhost", "127.0.0.1"]) {
      for (const method of ["GET", "POST"]) {
        const answer = await answerTo(method, path, { ...DEVELOPMENT_HEADERS, Host: host });
        expect({ path, host, method, ...answer }).toEqual({ path, host, method, ...ours });
      }
    }
    const foreign = await answerTo("GET", path, { Host: "quarry.example.com" });
    const refusal = { status: 403, body: expect.stringContaining("Forbidden: a local") as unknown };
    expect({ path, ...foreign }).toEqual({
      path,
      ...(path.startsWith("/cdn-cgi/") ? ours : refusal),
    });
  }
});

test("a request without a host is refused", async () => {
  const socket = connect(port, "127.0.0.1");
  socket.end("GET /cdn-cgi/local/explorer HTTP/1.1\r\n\r\n");
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 Bad Request/);
});

test("a body that ends before its length is the sender's fault", async () => {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  const origin = `http://localhost:${port}`;
  const head = `Host: localhost:${port}\r\nOrigin: ${origin}\r\nContent-Length: 90`;
  socket.end(`POST /panel/api/session HTTP/1.1\r\n${head}\r\n\r\n{"email":`);
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request/);
  expect(answer).toContain("ends before its length");
});

const LISTENING = "0A";
const IS_LINUX = existsSync("/proc/net/tcp");

/** Addresses on which processes of a group listen, as Linux has them. */
function listeningIn(group: number): string[] {
  const inodes = new Set<string>();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ");
      if (Number(fields?.[2]) !== group) continue;
      for (const fd of readdirSync(`/proc/${pid}/fd`)) {
        inodes.add(readlinkSync(`/proc/${pid}/fd/${fd}`).replaceAll(/^socket:\[|\]$/g, ""));
      }
    } catch {
      // It has ended.
    }
  }
  const rows = ["tcp", "tcp6", "udp", "udp6", "unix"].flatMap((kind) =>
    readFileSync(`/proc/net/${kind}`, "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => ({ kind, fields: line.trim().split(/\s+/) })),
  );
  return rows.flatMap(({ kind, fields }) => {
    const [inode = "", isOpen] =
      kind === "unix"
        ? [fields[6], true]
        : [fields[9], kind.startsWith("udp") || fields[3] === LISTENING];
    return isOpen && inodes.has(inode) ? [`${kind} ${fields[1]}`] : [];
  });
}

test.runIf(IS_LINUX)("the service listens on its own address and on no other", () => {
  const hexadecimal = port.toString(16).toUpperCase().padStart(4, "0");
  const listening = listeningIn(service?.pid ?? 0).filter((socket) => !socket.startsWith("unix"));
  expect(listening).toEqual([`tcp 0100007F:${hexadecimal}`]);
});

test("the service goes on with all that wrangler dev has stored in its folder", async () => {
  expect(await askDatabase(state, "select text from notes")).toEqual([{ text: "of wrangler" }]);
  const body = JSON.stringify({ redirect_uris: ["https://program.example/callback"] });
  const init = { method: "POST", headers: { "Content-Type": "application/json" }, body };
  expect((await fetch(`${service?.url}/oauth/register`, init)).status).toBe(201);
  expect(ofWrangler.map((name) => name.split("/")[0])).toEqual(
    expect.arrayContaining(["d1", "do", "kv", "r2"]),
  );
  expect(storesOf()).toEqual(ofWrangler);
});

test("its end finishes requests in flight, leaves no server, and the log goes on", async () => {
  const { key } = await makeRag(service?.url ?? "");
  const body = "A note of two halves.";
  const upload = request(`${service?.url}/panel/api/file-sources/docs/files/note.txt`, {
    method: "PUT",
    headers: {
      Authorization: `Bearer ${key}`,
      "Content-Type": "text/plain",
      "Content-Length": body.length,
    },
  });
  const answer = new Promise<number | undefined>((resolve, reject) => {
    upload.once("response", ({ statusCode }) => resolve(statusCode)).once("error", reject);
  });
  // The service has read these bytes when it is asked to end.
  await new Promise((resolve) => upload.write(body.slice(0, 10), resolve));
  await expect.poll(() => fetch(`${service?.url}/health`).then(({ ok }) => ok)).toBe(true);
  const stopping = service?.stop();
  upload.end(body.slice(10));
  expect(await answer).toBe(201);
  await stopping;
  const log = () => readFileSync(join(state, "worker.log"), "utf8").trimEnd().split("\n");
  const before = log();
  expect(storesOf()).toEqual(ofWrangler);
  service = await startService(state, port);
  expect(log().slice(0, before.length)).toEqual(before);
  for (const line of log()) {
    expect(JSON.parse(line)).toMatchObject({ time: expect.stringMatching(/^\d{4}-.*Z$/) });
  }
});
