import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";

import { World, ragWorld, statement } from "../../support/ingestion-world.ts";
import { BUCKET_CONFIG, s3Error, serveBucket } from "../../doubles/object-storage/served-bucket.ts";
import { lastRun, scan } from "./scanning.ts";

const KEYS = 100;

afterEach(() => {
  vi.restoreAllMocks();
});

function library(): Map<string, string> {
  const objects = new Map<string, string>();
  for (let at = 0; at < KEYS; at += 1) {
    objects.set(`docs/${at % 7}/a + b & ${at}.md`, `A note numbered ${at}.`);
  }
  return objects;
}

async function scanned() {
  const objects = library();
  const bucket = serveBucket(objects);
  const { world, source, rag } = await ragWorld("object_storage", BUCKET_CONFIG);
  await scan(world, source);
  bucket.pages = 0;
  return { objects, bucket, world, source, rag };
}

async function statusOf(source: string) {
  const found = statement("select status from file_sources where id = ?", source);
  return (await found.first<{ status: string }>())?.status;
}

test("a bucket is scanned page by page; an unchanged one costs no download", async () => {
  const { objects, bucket, world, source, rag } = await scanned();
  expect(await lastRun(source)).toMatchObject({ added: KEYS, failed: 0, error: null });
  expect(await world.counters(rag)).toMatchObject({ indexed: KEYS, pending: 0, error: 0 });
  expect((await world.shown(rag, "numbered 42"))["0/a + b & 42.md"]).toEqual([
    "A note numbered 42.",
  ]);
  expect(bucket.opened.length).toBe(KEYS);

  const embedded = world.countEmbedded();
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({
    unchanged: KEYS,
    added: 0,
    changed: 0,
    removed: 0,
  });
  expect(bucket.opened.length).toBe(KEYS);
  expect(embedded).toEqual([]);
  expect(bucket.pages).toBe(3);

  objects.set("docs/0/a + b & 42.md", "A note rewritten.");
  objects.set("docs/new.md", "A note that is new.");
  objects.set("docs/moved.md", objects.get("docs/1/a + b & 43.md") ?? "");
  objects.delete("docs/1/a + b & 43.md");
  objects.delete("docs/2/a + b & 44.md");
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ added: 2, changed: 1, removed: 2, error: null });
  expect(bucket.opened.slice(KEYS).sort()).toEqual([
    "docs/0/a + b & 42.md",
    "docs/moved.md",
    "docs/new.md",
  ]);
  const shown = await world.shown(rag);
  expect(shown["moved.md"]).toEqual(["A note numbered 43."]);
  expect(shown["1/a + b & 43.md"]).toBeUndefined();
  expect(shown["2/a + b & 44.md"]).toBeUndefined();
});

test("credentials that expire in mid-scan remove nothing, and say so", async () => {
  const { bucket, world, source, rag } = await scanned();
  bucket.fault = ({ page }) => (page === 1 ? s3Error(400, "ExpiredToken") : null);
  await scan(world, source);
  expect(await statusOf(source)).toBe("error");
  expect(await lastRun(source)).toMatchObject({
    removed: 0,
    error: expect.stringContaining("the credentials have expired"),
  });
  expect(await world.counters(rag)).toMatchObject({ indexed: KEYS, deleted: 0 });
  bucket.fault = () => null;
  await scan(world, source);
  expect(await statusOf(source)).toBe("active");
  expect(await lastRun(source)).toMatchObject({ unchanged: KEYS, error: null });
});

test("a throttled page is asked for again, and the listing resumes", async () => {
  const { bucket, world, source } = await scanned();
  let refusals = 2;
  bucket.fault = ({ page }) => {
    if (page !== 1 || refusals === 0) return null;
    refusals -= 1;
    return s3Error(503, "SlowDown", { "retry-after": "3" });
  };
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ unchanged: KEYS, removed: 0, error: null });
  expect(bucket.pages).toBe(5);
});

test("an empty listing that was not one before deletes nothing by itself", async () => {
  const { objects, world, source, rag } = await scanned();
  const before = new Map(objects);
  objects.clear();
  await scan(world, source);
  expect(await world.counters(rag)).toMatchObject({ indexed: KEYS, deleted: 0 });
  expect(await statusOf(source)).toBe("error");
  for (const [key, text] of before) objects.set(key, text);
  await scan(world, source);
  expect(await statusOf(source)).toBe("active");
  expect(await world.counters(rag)).toMatchObject({ indexed: KEYS, deleted: 0 });
});

test("the bound bucket is read below its prefix, and never what is the service's own", async () => {
  const world = new World();
  await env.FILES.put("papers/a.md", "A note on paper.", {
    httpMetadata: { contentType: "text/markdown" },
  });
  await env.FILES.put("papers/b/c.txt", "A note in text.", { customMetadata: { owner: "Ada" } });
  await env.FILES.put("papers/empty/", "");
  await env.FILES.put("elsewhere.md", "A note elsewhere.");
  const { source, rag } = await world.addSourceAndRag("object_storage", {
    r2: true,
    prefix: "papers",
  });
  await scan(world, source);
  expect(await world.rows(rag)).toMatchObject([
    { path: "a.md", status: "indexed" },
    { path: "b/c.txt", status: "indexed" },
  ]);
  const whole = await world.addSource("object_storage", { r2: true });
  const all = await world.addRag(whole);
  await scan(world, whole);
  const paths = (await world.rows(all)).map(({ path }) => path);
  expect(paths).toEqual(["elsewhere.md", "papers/a.md", "papers/b/c.txt"]);

  await env.FILES.delete("papers/a.md");
  await env.FILES.put("papers/b/c.txt", "A note in other text.");
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ changed: 1, removed: 1 });
  expect(await world.shown(rag)).toEqual({ "b/c.txt": ["A note in other text."] });
});

test("a key that no address can name is an error that says so, and nothing else's", async () => {
  const { objects, bucket, world, source, rag } = await scanned();
  for (const key of ["docs/up/../x.md", "docs/./y.md", "docs/.."]) objects.set(key, "A note.");
  objects.set("docs/...", "A note of three dots.");
  for (const added of [4, 0]) {
    await scan(world, source);
    expect(await lastRun(source)).toMatchObject({ added, removed: 0, error: null });
    const failed = (await world.rows(rag)).filter(({ status }) => status !== "indexed");
    const error = "the key has a segment . or .. and cannot be addressed";
    expect(failed).toMatchObject(
      ["..", "./y.md", "up/../x.md"].map((path) => ({ path, status: "error", error })),
    );
  }
  expect(bucket.opened.filter((key) => key.startsWith("docs/..."))).toHaveLength(1);
  expect(await world.counters(rag)).toMatchObject({ indexed: KEYS + 1, error: 3 });
});
