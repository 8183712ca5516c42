import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { unstable_readConfig as readConfig, unstable_startWorker as startWorker } from "wrangler";

import { PROJECT } from "../../../src/cli/installation.ts";
import { multipartBody } from "../../../src/cli/push/upload-files.ts";
import { migrationStatements } from "./migration-statements.ts";
import type { Told } from "./round-trips-worker.ts";

const POLL_MS = 100;
/** Longer than a queue waits for more messages. */
const QUIET_POLLS = 25;
const BATCH_TIMEOUT_SECONDS = 1;
const ADMIN = { email: "admin@localhost", password: "quarry-quarry" };

/** A running service whose every platform operation is counted. */
export type CountedService = {
  call: <Body>(method: string, path: string, body?: unknown) => Promise<Body>;
  put: (path: string, text: string) => Promise<void>;
  /** Many files in one call. */
  putAll: (path: string, files: { path: string; text: string }[]) => Promise<void>;
  useToken: (token: string) => void;
  /** Everything since the last time, once nothing goes on any more. */
  settled: () => Promise<Told>;
  stop: () => Promise<void>;
};

/** wrangler.toml's local bindings, with production's models and vector index. */
function writeConfig(folder: string): string {
  const { d1_databases, kv_namespaces, r2_buckets, ...config } = readConfig({
    config: join(PROJECT, "wrangler.toml"),
  }) as Record<string, unknown>;
  const { durable_objects, migrations, queues } = config;
  const own = {
    name: "counted",
    main: join(PROJECT, "test/bench/support/round-trips-worker.ts"),
    compatibility_date: config["compatibility_date"],
    compatibility_flags: config["compatibility_flags"],
    vars: {
      // Where pushed files are read from the bucket, as on Cloudflare.
      ENVIRONMENT: "preview",
      ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      EMBEDDING_MODEL: "workers-ai/@cf/baai/bge-m3",
      EMBEDDING_DIMENSIONS: "1024",
      VECTOR_INDEX: "auto",
      RATE_LIMIT_API: "10000",
      RATE_LIMIT_LOGIN: "10000",
      PANEL_ADMIN_EMAIL: ADMIN.email,
      PANEL_ADMIN_PASSWORD: ADMIN.password,
    },
    d1_databases,
    kv_namespaces,
    r2_buckets,
    durable_objects,
    migrations,
    queues: quickened(queues),
  };
  const path = join(folder, "wrangler.json");
  writeFileSync(path, JSON.stringify(own));
  return path;
}

/** Batches as large as they are, after a second whatever their size. */
function quickened(queues: unknown) {
  const { producers, consumers } = queues as Record<"producers" | "consumers", object[]>;
  const quick = consumers.map((consumer) =>
    Object.assign(consumer, { max_batch_timeout: BATCH_TIMEOUT_SECONDS }),
  );
  return { producers, consumers: quick };
}

export async function startCountedService(): Promise<CountedService> {
  const folder = mkdtempSync(join(tmpdir(), "quarry-counted-"));
  const worker = await startWorker({
    config: writeConfig(folder),
    dev: {
      logLevel: "none",
      persist: join(folder, "state"),
      inspector: false,
      watch: false,
      server: { port: 0 },
    },
  } as Parameters<typeof startWorker>[0]);
  await worker.ready;
  const base = (await worker.url).origin;
  let credential: Record<string, string> = {};
  const send = async (method: string, path: string, init: RequestInit = {}) => {
    const headers = { Origin: base, ...credential, ...(init.headers as Record<string, string>) };
    const response = await fetch(`${base}${path}`, { ...init, method, headers });
    const text = await response.text();
    if (response.ok) return { text, headers: response.headers };
    throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
  };
  await send("POST", "/__migrate", { body: JSON.stringify(migrationStatements()) });
  const session = await send("POST", "/panel/api/session", { body: JSON.stringify(ADMIN) });
  credential = { Cookie: session.headers.get("Set-Cookie")?.split(";", 1)[0] ?? "" };

  return {
    call: async (method, path, body) => {
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      const { text } = await send(method, path, init);
      return (text === "" || text === "done" ? undefined : JSON.parse(text)) as never;
    },
    put: async (path, body) => {
      await send("PUT", path, { body, headers: { "Content-Type": "text/markdown" } });
    },
    putAll: async (path, files) => {
      const parts = files.map(({ path: name, text }) => {
        return {
          path: name,
          data: new TextEncoder().encode(text),
          headers: { "Content-Type": "text/markdown" },
        };
      });
      const { data, contentType } = multipartBody(parts);
      await send("POST", path, { body: data, headers: { "Content-Type": contentType } });
    },
    useToken: (token) => {
      credential = { Authorization: `Bearer ${token}` };
    },
    settled: async () => {
      const all: Told = { recorded: [], rows: { read: 0, written: 0 }, indexBytes: 0, open: 0 };
      for (let quiet = 0; quiet < QUIET_POLLS; quiet++) {
        const { text } = await send("GET", "/__recorded");
        const { recorded, rows, indexBytes, open } = JSON.parse(text) as Told;
        all.recorded.push(...recorded);
        all.indexBytes = indexBytes;
        all.rows.read += rows.read;
        all.rows.written += rows.written;
        if (recorded.length > 0 || open > 0) quiet = 0;
        await pause(POLL_MS);
      }
      return all;
    },
    stop: async () => {
      await worker.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
