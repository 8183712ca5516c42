import { AwsClient } from "aws4fetch";
import assert from "node:assert/strict";

import { dataOf } from "../../src/cli/api/clients.ts";
import { mapParallel } from "../../src/core/work/parallel.ts";
import { until, type Tools } from "./tools.ts";

export type Storage = {
  endpoint: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
  /** Keys that the server itself cannot store. */
  refuses?: RegExp;
  /** It takes any credentials. */
  isOpen?: boolean;
  /** Its bucket keeps versions: what is removed stays behind a mark. */
  isVersioned?: boolean;
};

const VERSIONED = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";

const BUCKET = "library";
const REGION = "us-east-1";
const MANY = 1_100;
const WRITES_AT_ONCE = 8;
const ODD = [
  "odd/a b+c.md",
  "odd/100%25.md",
  "odd/q?x=1&y=2.md",
  "odd/it's (one)!*.md",
  'odd/<tag> "quoted".md',
  "odd/日本語/ファイル.md",
  "odd/composed-\u00e9.md",
  "odd/composed-e\u0301.md",
  "odd/.hidden/...md",
  `odd/${"long-".repeat(40)}.md`,
];
const wordOf = (at: number) => `otter${String(at).padStart(4, "0")}`;

/** Reads a bucket of a real server as our double is read. */
export async function checkStorage(tools: Tools, storage: Storage): Promise<void> {
  const { endpoint, credentials, refuses } = storage;
  const client = new AwsClient({ ...credentials, region: REGION, service: "s3", retries: 0 });
  const call = async (method: string, key: string, body: string | null = null) => {
    const odd = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
    const path = encodeURIComponent(key)
      .replaceAll("%2F", "/")
      .replace(/[!'()*]/g, odd);
    const response = await client.fetch(`${endpoint}/${BUCKET}/${path}`, { method, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${key}: ${response.status} ${text}`);
  };
  const created = await client.fetch(`${endpoint}/${BUCKET}`, { method: "PUT" });
  assert.ok(created.ok || created.status === 409, await created.text());
  if (storage.isVersioned === true) {
    const address = `${endpoint}/${BUCKET}?versioning`;
    const answer = await client.fetch(address, { method: "PUT", body: VERSIONED });
    assert.ok(answer.ok, await answer.text());
  }
  const odd = ODD.filter((key) => refuses?.test(key) !== true);
  for (const [at, key] of odd.entries()) await call("PUT", key, `# Odd\n\n${wordOf(at)} swims.`);
  const many = Array.from({ length: MANY }, (_, at) => `many/${at}.md`);
  await mapParallel(many, WRITES_AT_ONCE, (key) => call("PUT", key, `A note called ${key}.`));

  const { api } = await tools.quarryWithRag();
  const naming = { name: "Bucket", identifier: "bucket" };
  const config = { endpoint, region: REGION, bucket: BUCKET, pathStyle: true, credentials };
  const source = { ...naming, provider: "object_storage" as const, config };
  const id = { params: { path: { id: "bucket" } } };
  const creation = await dataOf(api.POST("/file-sources", { body: source }));
  const scope = {
    scopeMode: "scoped" as const,
    scopes: [{ type: "path" as const, value: "odd/" }],
  };
  await api.POST("/rags", { body: { ...naming, fileSource: "bucket", ...scope } });
  /** The run that ends after this moment; a new source is scanned at once. */
  const scanned = async (before: string | null) =>
    await until(async () => {
      const { lastScan } = await dataOf(api.GET("/file-sources/{id}", id));
      assert.ok(lastScan?.finishedAt != null && lastScan.finishedAt !== before);
      return lastScan;
    });
  const scan = async () => {
    const before = (await scanned(null)).finishedAt;
    await api.POST("/file-sources/{id}/scan", { ...id, body: {} });
    return await scanned(before);
  };
  const indexed = () =>
    until(async () => {
      const rag = await dataOf(api.GET("/rags/{id}", id));
      assert.equal(rag.processedFiles, rag.totalFiles);
      return rag;
    });
  const pathsOf = async (query: string) => {
    const answer = await dataOf(
      api.POST("/rags/{id}/search", { ...id, body: { semanticSearch: [query] } }),
    );
    return answer.chunks.map(({ source: place }) => place?.filePath ?? "");
  };

  await tools.check("the check of a new source says yes", () =>
    assert.equal(creation.check?.ok, true, creation.check?.message),
  );
  await tools.check("all pages are listed, odd keys too", async () => {
    const run = await scanned(null);
    assert.deepEqual([run.error, run.failed, run.added], [null, 0, MANY + odd.length]);
  });
  await tools.check("each object is read by its own key", async () => {
    const files = await indexed();
    assert.equal(files.processedFiles, odd.length);
    for (const at of odd.keys()) {
      const [first = ""] = await pathsOf(wordOf(at));
      // Two keys that differ in Unicode's form alone get two paths, one of them with a mark.
      assert.equal(first.normalize("NFC").slice(0, 12), odd[at]?.normalize("NFC").slice(0, 12));
    }
  });
  await tools.check("an unchanged bucket changes nothing", async () => {
    const run = await scan();
    assert.deepEqual([run.added, run.changed, run.removed], [0, 0, 0]);
  });
  await tools.check("a changed object is read again, a removed one leaves", async () => {
    const [changed = "", removed = ""] = odd;
    await call("PUT", changed, "# Odd\n\nbadger9999 digs.");
    await call("DELETE", removed);
    const run = await scan();
    assert.deepEqual([run.added, run.changed, run.removed], [0, 1, 1]);
    await indexed();
    assert.equal((await pathsOf("badger9999"))[0], changed);
    assert.ok(!(await pathsOf(wordOf(1))).includes(removed));
  });
  await tools.check("what was removed comes back under its path", async () => {
    const [, removed = ""] = odd;
    await call("PUT", removed, `# Odd\n\n${wordOf(1)} swims.`);
    const run = await scan();
    assert.deepEqual([run.added, run.changed, run.removed], [1, 0, 0]);
    await indexed();
    assert.equal((await pathsOf(wordOf(1)))[0], removed);
  });
  await tools.check("wrong credentials are said, and nothing is removed", async () => {
    if (storage.isOpen === true) return;
    const wrong = {
      ...config,
      credentials: { ...credentials, secretAccessKey: "wrong-secret-0000" },
    };
    const patched = await dataOf(
      api.PATCH("/file-sources/{id}", { ...id, body: { config: wrong } }),
    );
    assert.equal(patched.check?.ok, false);
    assert.ok(!JSON.stringify(patched).includes("wrong-secret"));
    const run = await scan();
    assert.notEqual(run.error, null);
    assert.equal((await dataOf(api.GET("/rags/{id}", id))).processedFiles, odd.length);
  });
}
