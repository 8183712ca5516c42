import { expect, test } from "vitest";

import type { KnownFiles, ListedFile } from "../../../src/ports/source-reader.ts";
import { objectStorageReader } from "../../../src/sources/object-storage/object-storage-reader.ts";
import { CREDENTIALS } from "../../doubles/object-storage/object-storage.ts";
import { knownNone } from "../../doubles/source/known-files.ts";

/** Listings as servers write them that are no Amazon. */

const signal = new AbortController().signal;

function readerOf(
  answer: (parameters: URLSearchParams) => string,
  endpoint = "https://s3.example.com",
  options: { readsPermissions?: boolean; known?: KnownFiles } = {},
) {
  const fetch = async (address: string, { headers, method }: RequestInit = {}) => {
    const readers = { "x-amz-meta-readers": "user:ann@example.com" };
    if (method === "HEAD") return new Response(null, { headers: readers });
    // As Backblaze and R2 do elsewhere.
    const isKnown = endpoint.endsWith("amazonaws.com");
    if (!isKnown && new Headers(headers).has("x-amz-optional-object-attributes"))
      return new Response("<Error><Code>NotImplemented</Code></Error>", { status: 501 });
    return new Response(answer(new URL(address).searchParams));
  };
  return objectStorageReader(
    { endpoint, region: "x", bucket: "docs", pathStyle: true },
    CREDENTIALS,
    { outgoing: { fetch, allowPrivate: false }, now: () => 0, known: knownNone, ...options },
  );
}

async function listAll(answer: (parameters: URLSearchParams) => string): Promise<ListedFile[]> {
  const reader = readerOf(answer);
  const files: ListedFile[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await reader.list(cursor ?? null, signal);
    files.push(...page.files);
    cursor = page.next;
  }
  return files;
}

test("encoded keys are decoded, and keys that no address can name get no URL", async () => {
  const contents = ["a%2Bb+c%25.md", "caf%C3%A9%0A.md", "up/../x.md"]
    .map((key) => `<Contents><Key>${key}</Key><ETag>&quot;e&quot;</ETag><Size>1</Size></Contents>`)
    .join("");
  const xml = `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><EncodingType>url</EncodingType><IsTruncated>false</IsTruncated>${contents}</ListBucketResult>`;
  const files = await listAll(() => xml);
  expect(files.map((file) => file.path)).toEqual(["a+b c%.md", "café\n.md", "up/../x.md"]);
  expect(files[0]?.version).toBe("e/1");
  const dots = files[2];
  await expect(dots && readerOf(() => xml).open(dots, signal)).rejects.toMatchObject({
    kind: "bad-file",
  });
});

/** The first version of the listing has no token: the next page begins after the last key. */
test.each([
  ...["true", "True", "1", ""].map((says) => [says, "continuation-token", "token"] as const),
  ["true", "marker", "a b+"] as const,
])("a listing of IsTruncated %j goes on by %s", async (says, name, value) => {
  const flag = says && `<IsTruncated>${says}</IsTruncated>`;
  const token = name === "marker" ? "" : value;
  const more = `${flag}<NextContinuationToken>${token}</NextContinuationToken>`;
  const files = await listAll((parameters) => {
    const [key, end] = parameters.get(name) === value ? ["c", ""] : ["a b+", more];
    return `<ListBucketResult><Contents><Key>${key}</Key></Contents>${end}</ListBucketResult>`;
  });
  expect(files.map(({ path }) => path)).toEqual(["a b+", "c"]);
});

const object = (key: string, more = "") =>
  `<Contents><Key>${key}</Key><Size>1</Size>${more}</Contents>`;
const listing = (contents: string[]) =>
  `<ListBucketResult>${contents.join("")}<IsTruncated>false</IsTruncated></ListBucketResult>`;

test("entries without a key or a size are named, and others listed", async () => {
  const broken = ["<Contents><Size>1</Size></Contents>", object("b", "<Size>big</Size>")];
  const page = await readerOf(() => listing([object("a"), ...broken])).list(null, signal);
  expect(page.files.map(({ path }) => path)).toEqual(["a"]);
  expect(page.unread).toMatchObject([{ id: null }, { id: "b", path: "b" }]);
});

test("archived objects of Amazon are left out until they are restored", async () => {
  const restored = (isUnderway: boolean) =>
    `<StorageClass>GLACIER</StorageClass><RestoreStatus><IsRestoreInProgress>${isUnderway}</IsRestoreInProgress></RestoreStatus>`;
  const xml = listing([
    object("ready", restored(false)),
    object("coming", restored(true)),
    object("deep", "<StorageClass>DEEP_ARCHIVE</StorageClass>"),
    object("instant", "<StorageClass>GLACIER_IR</StorageClass>"),
  ]);
  const endpoint = "https://s3.eu-west-1.amazonaws.com";
  const amazon = await readerOf(() => xml, endpoint).list(null, signal);
  expect(amazon.files.map(({ path }) => path)).toEqual(["ready", "instant"]);
  const message = "the object is archived: restore it, and the next scan reads it";
  expect(amazon.unread).toMatchObject([{ id: "coming", message }, { id: "deep" }]);
  // A file that was archived later keeps its text, but not its readers.
  const [earlier] = (await readerOf(() => listing([object("deep")])).list(null, signal)).files;
  const knownFiles = { ...knownNone, byExternalId: async () => (earlier ? [earlier] : []) };
  const options = { readsPermissions: true, known: knownFiles };
  const later = await readerOf(() => xml, endpoint, options).list(null, signal);
  const principals = [{ principal: "user:ann@example.com", from: "file" }];
  expect(later.files.at(-1)).toMatchObject({
    path: "deep",
    version: earlier?.version,
    failure: { kind: "denied", message },
    readers: { principals },
  });
  expect(later.unread).toMatchObject([{ id: "coming" }]);
  // Elsewhere the names of classes are those of an administrator.
  const minio = await readerOf(() => xml).list(null, signal);
  expect(minio.files).toHaveLength(4);
});
