import { beforeAll, describe, expect, test } from "vitest";

import {
  SourceFailure,
  type ListedFile,
  type SourceReader,
} from "../../../src/ports/source-reader.ts";
import type { FetchClient } from "../../../src/sources/guarded-fetch.ts";
import {
  listedFileFromObject,
  withOwnPaths,
} from "../../../src/sources/listed-file-from-object.ts";
import { objectStorageReader } from "../../../src/sources/object-storage/object-storage-reader.ts";
import { CREDENTIALS, startObjectStorage } from "../../doubles/object-storage/object-storage.ts";
import { knownNone } from "../../doubles/source/known-files.ts";

const KEYS = 400;
const WRITES_AT_ONCE = 24;
const ODD_NAMES = [
  "a b¦a+b¦a%20b¦100%¦a&b¦a=b¦q?x=1¦h#sh¦it's¦<tag>¦semi;colon¦co,mma¦bang!¦st*r¦(par)¦at@x",
  'say "hi"¦dollar$¦back\\slash¦tilde~¦pipe|¦caret^¦{brace}¦[bracket]¦`tick`¦crème¦cre\u0300me',
  "日本語¦🦉¦...¦.hidden¦a..b¦ leading¦trailing ¦a\tb¦İstanbul¦%2F¦&amp;¦%",
].flatMap((some) => some.split("¦"));

const sorted = (texts: string[]) => [...texts].sort((a, b) => (a < b ? -1 : 1));

let storage: Awaited<ReturnType<typeof startObjectStorage>>;
const signal = new AbortController().signal;

const oddKey = (at: number) => `docs/${at % 50}/${ODD_NAMES[at % ODD_NAMES.length]}-${at}.md`;
const allKeys = Array.from({ length: KEYS }, (_, at) => oddKey(at));

type Fault = (url: URL, call: number) => Response | null;

function readerOf(
  options: { prefix?: string; fault?: Fault; secrets?: object; now?: number } = {},
) {
  const calls: string[] = [];
  const fetchWithFaults: FetchClient["fetch"] = async (input, init) => {
    const url = new URL(input);
    calls.push(url.pathname);
    return options.fault?.(url, calls.length) ?? (await fetch(input, init));
  };
  const { endpoint, bucket } = storage;
  const config = { endpoint, region: "us-east-1", bucket, pathStyle: true, prefix: options.prefix };
  const outgoing = { fetch: fetchWithFaults, allowPrivate: true };
  const secrets = { ...CREDENTIALS, ...options.secrets };
  return {
    reader: objectStorageReader(config, secrets, {
      outgoing,
      now: () => options.now ?? 0,
      known: knownNone,
      pageSize: 100,
    }),
    calls,
  };
}

async function listAll(reader: SourceReader): Promise<ListedFile[]> {
  const files: ListedFile[] = [];
  let cursor: string | null = null;
  do {
    const page = await reader.list(cursor, signal);
    files.push(...page.files);
    cursor = page.next;
  } while (cursor !== null);
  return files;
}

async function textOf(reader: SourceReader, file: ListedFile): Promise<string> {
  const download = await reader.open(file, signal);
  return await new Response(download.body).text();
}

const s3Error = (status: number, code: string, headers: Record<string, string> = {}) =>
  new Response(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>m</Message></Error>`, {
    status,
    headers,
  });

beforeAll(async () => {
  storage = await startObjectStorage("library");
  const waiting = [...allKeys];
  const work = async () => {
    for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
      await storage.put(key, `text of ${key}`);
    }
  };
  await Promise.all(Array.from({ length: WRITES_AT_ONCE }, work));
  await storage.put("docs/empty-folder/", "");
  await storage.put("elsewhere/x.md", "outside");
  return () => storage.stop();
});

describe("a bucket of 400 keys with odd names", () => {
  test("is listed exactly, by key below the prefix", async () => {
    const files = await listAll(readerOf({ prefix: "docs/" }).reader);
    expect(sorted(files.map((file) => file.externalId ?? ""))).toEqual(sorted(allKeys));
    const paths = allKeys.map((key) => key.slice("docs/".length));
    expect(sorted(files.map((file) => file.path))).toEqual(sorted(paths));
    const isToday = (ms: number | null | undefined) => Date.now() - (ms ?? 0) < 86_400_000;
    const whole = files.filter(({ version, modifiedAt }) => version !== "" && isToday(modifiedAt));
    expect(new Set(whole.map(({ mimeType }) => mimeType))).toEqual(new Set(["text/markdown"]));
  });

  test("a prefix without its slash names the same folder", async () => {
    const files = await listAll(readerOf({ prefix: "docs/7" }).reader);
    const expected = allKeys.filter((key) => key.startsWith("docs/7/"));
    expect(sorted(files.map((file) => file.externalId ?? ""))).toEqual(sorted(expected));
    const { reader } = readerOf({ prefix: "/docs" });
    expect(await reader.check?.(signal)).toMatch(/can be listed, and no key begins with .docs.$/);
  });

  test("every odd name can be opened", async () => {
    const { reader } = readerOf({ prefix: "docs/" });
    const files = await listAll(reader);
    const sample = allKeys.slice(0, ODD_NAMES.length);
    for (const key of sample) {
      const file = files.find((each) => each.externalId === key);
      expect(file && (await textOf(reader, file))).toBe(`text of ${key}`);
    }
  });
});

describe("failures", () => {
  const secondCall = (response: () => Response): Fault => {
    return (_url, call) => (call === 2 ? response() : null);
  };
  const failureOf = async (fault: Fault) => {
    const { reader } = readerOf({ prefix: "docs/", fault });
    return await listAll(reader).catch((error: unknown) => error);
  };

  test("throttling is told with the wait that was asked for", async () => {
    const slow = secondCall(() => s3Error(503, "SlowDown", { "retry-after": "7" }));
    expect(await failureOf(slow)).toMatchObject({ kind: "throttled", retryAfterMs: 7_000 });
    const many = secondCall(() => s3Error(429, "TooManyRequests"));
    expect(await failureOf(many)).toMatchObject({ kind: "throttled", retryAfterMs: null });
  });

  test("an archived object is no wrong key, and later scans try it again", async () => {
    const [file] = await listAll(readerOf({ prefix: "docs/" }).reader);
    if (file === undefined) throw new Error("the bucket is empty");
    const fault: Fault = () => s3Error(403, "InvalidObjectState");
    const { reader } = readerOf({ prefix: "docs/", fault });
    const message = "the object is archived: restore it, and the next scan reads it";
    const failure = { kind: "denied", message };
    await expect(reader.open(file, signal)).rejects.toMatchObject(failure);
  });

  test("an endpoint that is no object storage is told from a missing bucket", async () => {
    const failed = await failureOf(() => new Response("<h1>Not found</h1>", { status: 404 }));
    const message = "object storage: 404, and no bucket answers there";
    expect(failed).toMatchObject({ kind: "down", message });
  });

  test("a listing that breaks off is no shorter listing", async () => {
    const whole = await (await fetch(`${storage.endpoint}/library?list-type=2&max-keys=5`)).text();
    expect(whole).toContain("</ListBucketResult>");
    const cut = whole.slice(0, whole.lastIndexOf("</Contents>"));
    expect(await failureOf(() => new Response(cut))).toMatchObject({ kind: "down" });
    expect(await failureOf(() => new Response(""))).toMatchObject({ kind: "down" });
    const login = "<html><body>Please sign in</body></html>";
    expect(await failureOf(() => new Response(login))).toMatchObject({ kind: "down" });
  });

  test("server errors, refused connections and redirects are told apart", async () => {
    expect(await failureOf(() => s3Error(500, "InternalError"))).toMatchObject({ kind: "down" });
    const unreachable: Fault = () => {
      throw new TypeError("fetch failed");
    };
    expect(await failureOf(unreachable)).toMatchObject({ kind: "down" });
    const moved = () => s3Error(301, "PermanentRedirect", { location: "http://169.254.169.254/" });
    const elsewhere = () => s3Error(400, "IllegalLocationConstraintException");
    for (const answer of [moved, elsewhere, () => s3Error(404, "NoSuchKey")])
      expect(await failureOf(answer)).toMatchObject({ kind: "denied" });
  });

  test("a wrong key is refused by the server and told without the key", async () => {
    const { reader } = readerOf({ secrets: { accessKeyId: "NOT-KNOWN" } });
    const failure = await listAll(reader).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      kind: "denied",
      message: expect.stringContaining("access key is not known"),
    });
    expect(String(failure)).not.toContain("NOT-KNOWN");
  });
});

test("a server whose clock differs is told as such, to a listing and to a HEAD", async () => {
  const now = Date.UTC(2026, 10, 28, 12, 0);
  const at = "2026-11-28T11:20:00Z";
  const kinds = [
    s3Error(403, "RequestTimeTooSkewed", { date: new Date(at).toUTCString() }),
    new Response(`<Error><Code>RequestTimeTooSkewed</Code><ServerTime>${at}</ServerTime></Error>`, {
      status: 403,
    }),
    new Response(null, { status: 403, headers: { date: new Date(at).toUTCString() } }),
  ];
  for (const answer of kinds) {
    const failure = await listAll(readerOf({ now, fault: () => answer }).reader).catch(
      (thrown: unknown) => thrown,
    );
    expect(failure).toMatchObject({
      kind: "denied",
      message: expect.stringContaining(
        "clocks of the storage and of this service differ by 40 min",
      ),
    });
  }
  const denied = new Response(null, {
    status: 403,
    headers: { date: new Date(now).toUTCString() },
  });
  await expect(listAll(readerOf({ now, fault: () => denied }).reader)).rejects.toMatchObject({
    message: "object storage: 403: access denied",
  });
});

/** Lists the requests of a reader of public addresses alone. */
async function askedBy(endpoint: string, pathStyle: boolean) {
  const calls: string[] = [];
  const outgoing: FetchClient["fetch"] = async (input, init) => {
    calls.push(`${input} ${new Headers(init?.headers).get("x-amz-security-token")}`);
    return new Response("<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>");
  };
  const reader = objectStorageReader(
    { endpoint, region: "x", bucket: "docs", pathStyle },
    { ...CREDENTIALS, sessionToken: "session" },
    { outgoing: { fetch: outgoing, allowPrivate: false }, now: () => 0, known: knownNone },
  );
  const kindOf = async (call: Promise<unknown>) =>
    await call.then(
      () => "read",
      (thrown: unknown) => thrown instanceof SourceFailure && thrown.kind,
    );
  const kind = await kindOf(reader.list(null, signal));
  const file = listedFileFromObject("", { key: "a b.md", size: 1, version: "1" });
  return [kind, file && (await kindOf(reader.open(file, signal))), ...calls];
}

test("an endpoint inside is refused; virtual-hosted, the bucket is in the host name", async () => {
  expect(await askedBy("http://169.254.169.254", true)).toEqual(["denied", "denied"]);
  for (const [pathStyle, bucket] of [
    [false, "https://docs.s3.example.com/"],
    [true, "https://s3.example.com/docs"],
  ] as const) {
    for (const path of ["", "/", "/docs/"]) {
      const endpoint = `https://s3.example.com${pathStyle ? path : path.slice(0, 1)}`;
      expect(await askedBy(endpoint, pathStyle)).toEqual([
        "read",
        "read",
        `${bucket}?list-type=2&encoding-type=url&max-keys=1000 session`,
        `${bucket.replace(/\/?$/, "/")}a%20b.md session`,
      ]);
    }
  }
});

test("an object beyond the limit is refused without a download", async () => {
  const { reader, calls } = readerOf();
  const facts = { key: "big.bin", size: 26 * 1_024 * 1_024, version: "1" };
  const file = listedFileFromObject("", facts);
  await expect(file && reader.open(file, signal)).rejects.toMatchObject({
    kind: "bad-file",
    message: "larger than 25 MiB",
  });
  expect(calls).toEqual([]);
});

test("a key that comes later, alone on its page, does not take another key's path", async () => {
  const [composed, decomposed] = ["r\u00e9sum\u00e9.md", "re\u0301sume\u0301.md"];
  const fileOf = (key: string) => listedFileFromObject("", { key, size: 1, version: "1" }) ?? [];
  const former = [fileOf(composed)].flat();
  const byPath = async (paths: string[]) => former.filter(({ path }) => paths.includes(path));
  const byExternalId = async (ids: string[]) =>
    former.filter(({ externalId }) => ids.includes(externalId ?? ""));
  const [later] = await withOwnPaths([fileOf(decomposed)].flat(), { byPath, byExternalId });
  expect(later?.path).toMatch(/^r\u00e9sum\u00e9 \(\w+\)\.md$/);
  expect(later?.externalId).toBe(decomposed);
});
