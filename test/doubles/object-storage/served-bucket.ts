import { vi } from "vitest";

import { hash32 } from "../../../src/core/hash.ts";

const KEYS_A_PAGE = 40;

/** The settings of a source that reads the bucket below. */
export const BUCKET_CONFIG = {
  endpoint: "https://s3.example.com",
  region: "us-east-1",
  bucket: "library",
  prefix: "docs/",
  credentials: { accessKeyId: "key", secretAccessKey: "secret" },
};

type Fault = (call: { page: number | null; key: string | null }) => Response | null;

/** When an object was written, ms, and its metadata `readers`. */
type Facts = { at: number; readers: string | null };

/** An S3 bucket in the place of the network: 40 keys a page, signed requests only. */
export function serveBucket(
  objects: Map<string, string>,
  facts = new Map<string, Facts>(),
  keysAPage = KEYS_A_PAGE,
) {
  const bucket = { opened: [] as string[], pages: 0, fault: (() => null) as Fault };
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    if (!(request.headers.get("authorization") ?? "").startsWith("AWS4-HMAC-SHA256")) {
      return s3Error(403, "AccessDenied");
    }
    const key = decodeURIComponent(url.pathname.split("/").slice(2).join("/"));
    if (key === "") {
      const page = Number(url.searchParams.get("continuation-token") ?? 0);
      bucket.pages += 1;
      return bucket.fault({ page, key: null }) ?? listing(objects, facts, { page, keysAPage });
    }
    const fault = bucket.fault({ page: null, key });
    if (fault !== null) return fault;
    const text = objects.get(key);
    if (request.method === "HEAD") return head(facts.get(key));
    bucket.opened.push(key);
    return text === undefined ? s3Error(404, "NoSuchKey") : new Response(text);
  });
  return bucket;
}

function head(object: Facts | undefined): Response {
  if (object === undefined) return new Response(null, { status: 404 });
  const { readers } = object;
  return new Response(null, { headers: readers === null ? {} : { "x-amz-meta-readers": readers } });
}

export function s3Error(status: number, code: string, headers: Record<string, string> = {}) {
  return new Response(`<Error><Code>${code}</Code></Error>`, { status, headers });
}

function listing(
  objects: Map<string, string>,
  facts: Map<string, Facts>,
  { page, keysAPage }: { page: number; keysAPage: number },
): Response {
  const keys = [...objects.keys()].sort((a, b) => (a < b ? -1 : 1));
  const end = (page + 1) * keysAPage;
  const contents = keys.slice(end - keysAPage, end).map((key) => {
    const text = objects.get(key) ?? "";
    const etag = hash32(text);
    const at = facts.get(key)?.at;
    const time = at === undefined ? "" : new Date(1_000 * Math.floor(at / 1_000)).toISOString();
    return `<Contents><Key>${encodeURIComponent(key)}</Key><LastModified>${time}</LastModified><ETag>&quot;${etag}&quot;</ETag><Size>${text.length}</Size></Contents>`;
  });
  const more = end < keys.length;
  const token = more ? `<NextContinuationToken>${page + 1}</NextContinuationToken>` : "";
  return new Response(
    `<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>${more}</IsTruncated>${token}${contents.join("")}</ListBucketResult>`,
  );
}
