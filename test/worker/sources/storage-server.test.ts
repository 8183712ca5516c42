import { AwsClient } from "aws4fetch";
import { env } from "cloudflare:workers";
import { beforeAll, expect, inject, test, vi } from "vitest";

import type { FileSourceId, RagId } from "../../../src/core/ids.ts";
import { mapParallel } from "../../../src/core/work/parallel.ts";
import { openSource } from "../../../src/sources/open-source.ts";
import { r2BucketReader } from "../../../src/sources/r2-bucket/r2-bucket-reader.ts";
import { sourceReaderContract } from "../../contract/ports/source-reader.ts";
import { s3Error, BUCKET_CONFIG, serveBucket } from "../../doubles/object-storage/served-bucket.ts";
import { knownNone } from "../../doubles/source/known-files.ts";
import { World, ragWorld } from "../../support/ingestion-world.ts";
import { lastRun, scan } from "./scanning.ts";

const KEYS = 2_500;
const FOLDERS = 50;
/** The RAG indexes one folder of all that is listed. */
const FOLDER = "7/";
const INDEXED = KEYS / FOLDERS;
const WRITES_AT_ONCE = 6;
const ODD = [
  "a b",
  "a+b",
  "100%",
  "q?x=1",
  "h#sh",
  "it's",
  "<tag>",
  "st*r",
  "日本語",
  "%2F",
  "...",
];

const { endpoint, bucket, credentials } = inject("objectStorage");
const client = new AwsClient({ ...credentials, region: "us-east-1", service: "s3", retries: 0 });

async function write(method: "PUT" | "DELETE", key: string, body: string | null = null) {
  const odd = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  const path = encodeURIComponent(key)
    .replaceAll("%2F", "/")
    .replace(/[!'()*]/g, odd);
  const response = await client.fetch(`${endpoint}/${bucket}/${path}`, { method, body });
  await response.arrayBuffer();
  expect({ key, ok: response.ok }).toEqual({ key, ok: true });
}

const pathOf = (at: number) => `${at % FOLDERS}/${ODD[at % ODD.length]}-${at}.md`;
const putFile = (path: string, text: string) => write("PUT", `docs/${path}`, text);

type Answer = Response | null;

/** Records the service's requests to the server; `answer` may answer in its place. */
function watched(answer: (url: URL) => Answer = () => null) {
  const requests = { pages: 0, objects: [] as string[] };
  const { fetch } = globalThis;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const isListing = url.searchParams.has("list-type");
    if (isListing) requests.pages += 1;
    else requests.objects.push(decodeURIComponent(url.pathname).slice(`/${bucket}/docs/`.length));
    return answer(url) ?? (await fetch(input, init));
  });
  return requests;
}

let world: World;
let source: FileSourceId;
let rag: RagId;

beforeAll(async () => {
  const numbers = Array.from({ length: KEYS }, (_, at) => at);
  await mapParallel(numbers, WRITES_AT_ONCE, (at) => putFile(pathOf(at), `A note numbered ${at}.`));
  world = new World();
  const { services } = world;
  services.config = { ...services.config, ALLOW_PRIVATE_URLS: true };
  services.sourceReaders = (record) => openSource(services, record);
  const config = { endpoint, region: "us-east-1", bucket, prefix: "docs/", credentials };
  source = await world.addSource("object_storage", config);
  rag = await world.addRag(source, [FOLDER]);
});

const indexed = async () => {
  const rows = await world.rows(rag);
  return rows.filter(({ status }) => status === "indexed").map(({ path }) => path);
};

test("2,500 keys of a real server are listed, and followed as they change", async () => {
  const requests = watched();
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ added: KEYS, failed: 0, error: null });
  expect(requests.pages).toBe(3);
  expect(await indexed()).toHaveLength(INDEXED);
  expect(requests.objects).toHaveLength(INDEXED);

  const embedded = world.countEmbedded();
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ unchanged: KEYS, added: 0, changed: 0 });
  expect(requests.objects).toHaveLength(INDEXED);
  expect(embedded).toEqual([]);

  const [changed = "", removed = "", renamed = ""] = [7, 57, 107].map(pathOf);
  await putFile(changed, "A note rewritten.");
  await write("DELETE", `docs/${removed}`);
  await write("DELETE", `docs/${renamed}`);
  await putFile("7/renamed ✓.md", "A note numbered 107.");
  await putFile("7/new & odd.md", "A note that is new.");
  requests.objects.length = 0;
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ added: 2, changed: 1, removed: 2, error: null });
  expect(requests.objects.filter((path) => path.startsWith(FOLDER)).sort()).toEqual(
    [changed, "7/new & odd.md", "7/renamed ✓.md"].sort(),
  );
  const texts = await world.texts(rag);
  expect(texts[changed]).toEqual(["A note rewritten."]);
  expect(texts["7/renamed ✓.md"]).toEqual(["A note numbered 107."]);
  expect(Object.keys(texts)).toHaveLength(INDEXED);
  expect(texts[removed] ?? texts[renamed]).toBe(undefined);
});

test("what throttles, fails or expires in mid-listing takes nothing away", async () => {
  const onSecondPage = (answer: () => Answer) => (url: URL) =>
    url.searchParams.has("continuation-token") ? answer() : null;
  let refusals = 2;
  watched(
    onSecondPage(() => (refusals-- > 0 ? s3Error(503, "SlowDown", { "retry-after": "2" }) : null)),
  );
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ unchanged: KEYS, removed: 0, error: null });

  vi.restoreAllMocks();
  watched(onSecondPage(() => s3Error(500, "InternalError")));
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({
    removed: 0,
    error: expect.stringContaining("after 5 tries"),
  });

  vi.restoreAllMocks();
  watched(onSecondPage(() => s3Error(400, "ExpiredToken")));
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({
    removed: 0,
    error: expect.stringContaining("the credentials have expired"),
  });
  expect(await indexed()).toHaveLength(INDEXED);

  vi.restoreAllMocks();
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ unchanged: KEYS, removed: 0, error: null });
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
  expect(await world.texts(rag)).toEqual({ "b/c.txt": ["A note in other text."] });
});

const TWINS = [
  "docs/re\u0301sume\u0301.md",
  "docs/r\u00e9sum\u00e9.md",
  "docs/re\u0301sum\u00e9.md",
];

test("keys that are one path are files of their own, over pages and scans", async () => {
  const keys = [...TWINS, "docs/notes", "docs/notes/", "docs/notes/a.md"];
  const textOf = (key: string) => `A note of key ${keys.indexOf(key)}.`;
  const objects = new Map(keys.map((key) => [key, textOf(key)]));
  objects.set("docs/notes/empty/", "");
  serveBucket(objects, undefined, 2);
  const { world, source, rag } = await ragWorld("object_storage", BUCKET_CONFIG);
  for (const added of [keys.length, 0]) {
    await scan(world, source);
    expect(await lastRun(source)).toMatchObject({ added, changed: 0, removed: 0, error: null });
    const texts = await world.texts(rag);
    expect(Object.values(texts).flat().toSorted()).toEqual(keys.map(textOf).toSorted());
    expect(Object.keys(texts)).toEqual(
      expect.arrayContaining(["notes", "notes/a.md", "r\u00e9sum\u00e9.md"]),
    );
  }
  objects.delete(TWINS[0] ?? "");
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ added: 0, changed: 0, removed: 1 });
  expect(Object.values(await world.texts(rag)).flat()).toHaveLength(keys.length - 1);
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

const PREFIX = "reader-contract/";

sourceReaderContract("the bound bucket", {
  files: 10,
  refuses: false,
  follows: false,
  begin: async () => ({
    async hold(files) {
      const { objects } = await env.FILES.list({ prefix: PREFIX });
      await env.FILES.delete(objects.map(({ key }) => key));
      for (const [path, text] of files) await env.FILES.put(`${PREFIX}${path}`, text);
    },
    newReader: () =>
      r2BucketReader(env.FILES, { prefix: PREFIX }, { known: knownNone, pageSize: 4 }),
  }),
});

test("an object that was stored compressed is read", async () => {
  const key = "compressed/a.md";
  const packed = new Blob(["Close the valve."]).stream().pipeThrough(new CompressionStream("gzip"));
  const body = await new Response(packed).arrayBuffer();
  await env.FILES.put(key, body, { httpMetadata: { contentEncoding: "gzip" } });
  const reader = r2BucketReader(env.FILES, { prefix: "compressed" }, { known: knownNone });
  const { signal } = new AbortController();
  const [file] = (await reader.list(null, signal)).files;
  const download = file && (await reader.open(file, signal));
  expect(await new Response(download?.body).text()).toBe("Close the valve.");
});

test("an object's metadata names its readers where permissions are on", async () => {
  const prefix = "reader-metadata/";
  const putObject = async (name: string, customMetadata: Record<string, string>) =>
    await env.FILES.put(`${prefix}${name}`, "text", { customMetadata });
  await putObject("a.md", { readers: '["group:HR@example.com"]', label: "x" });
  await putObject("b.md", { readers: "ann" });
  await putObject("c.md", {});
  const list = async (readsPermissions: boolean) => {
    const reader = r2BucketReader(env.FILES, { prefix }, { known: knownNone, readsPermissions });
    const { files } = await reader.list(null, new AbortController().signal);
    return files.map(({ readers, metadata }) => ({ readers, metadata }));
  };
  expect(await list(true)).toEqual([
    {
      readers: { principals: [{ principal: "group:hr@example.com", from: "file" }] },
      metadata: { label: "x" },
    },
    { readers: { unreadable: expect.stringContaining("no principals") }, metadata: {} },
    { readers: undefined, metadata: {} },
  ]);
  expect((await list(false))[0]).toEqual({
    readers: undefined,
    metadata: { readers: '["group:HR@example.com"]', label: "x" },
  });
});
