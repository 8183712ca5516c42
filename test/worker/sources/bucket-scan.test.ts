import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";

import { World, ragWorld } from "../../support/ingestion-world.ts";
import { BUCKET_CONFIG, serveBucket } from "../../doubles/object-storage/served-bucket.ts";
import { lastRun, scan } from "./scanning.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

test("the bound bucket is read below its prefix, and never what is the service's own", async () => {
  const world = new World();
  await env.FILES.put("papers/a.md", "A note on paper.", {
    httpMetadata: { contentType: "text/markdown" },
  });
  await env.FILES.put("papers/b/c.txt", "A note in text.", { customMetadata: { owner: "Ada" } });
  await env.FILES.put("papers/empty/", "");
  await env.FILES.put("elsewhere.md", "A note elsewhere.");
  const bound = { r2: true, prefix: "papers" };
  const { source, rag } = await world.addSourceAndRag("object_storage", bound);
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
  const objects = new Map([["docs/a + b & 1.md", "A note numbered 1."]]);
  for (const key of ["docs/up/../x.md", "docs/./y.md", "docs/.."]) objects.set(key, "A note.");
  objects.set("docs/...", "A note of three dots.");
  const bucket = serveBucket(objects);
  const { world, source, rag } = await ragWorld("object_storage", BUCKET_CONFIG);
  for (const added of [5, 0]) {
    await scan(world, source);
    expect(await lastRun(source)).toMatchObject({ added, removed: 0, error: null });
    const failed = (await world.rows(rag)).filter(({ status }) => status !== "indexed");
    const error = "the key has a segment . or .. and cannot be addressed";
    expect(failed).toMatchObject(
      ["..", "./y.md", "up/../x.md"].map((path) => ({ path, status: "error", error })),
    );
  }
  expect(bucket.opened.filter((key) => key.startsWith("docs/..."))).toHaveLength(1);
  expect(await world.counters(rag)).toMatchObject({ indexed: 2, error: 3 });
});
