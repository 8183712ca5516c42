import { sha256Hex } from "../../core/hash.ts";
import { hexOf } from "../../core/ids.ts";
import { readLimited } from "../../core/read-limited.ts";

/** Shorter bodies stay in memory until they are known to be new, which saves a write. */
const HELD_BYTES = 1 << 20;

/** A body that was read completely. */
export class Upload {
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
  readonly #bucket: R2Bucket;
  readonly #bytes: Uint8Array<ArrayBuffer> | null;
  #liesAt: string | null;

  /** `of`: the bytes themselves, or the key they are stored at. */
  constructor(
    bucket: R2Bucket,
    facts: { size: number; sha256: string },
    of: { bytes: Uint8Array<ArrayBuffer> } | { key: string },
  ) {
    ({ size: this.size, sha256: this.sha256 } = facts);
    this.#bucket = bucket;
    this.#bytes = "bytes" in of ? of.bytes : null;
    this.#liesAt = "key" in of ? of.key : null;
  }

  /** The body, where it is in memory. */
  get bytes(): Uint8Array<ArrayBuffer> | null {
    return this.#bytes;
  }

  /** Stores the body at this key, and nowhere else. */
  async storeAt(key: string): Promise<void> {
    const former = this.#liesAt;
    if (key === former) return;
    await this.#bucket.put(key, this.#bytes ?? (await this.#streamFrom(former)));
    this.#liesAt = key;
    if (former !== null) await this.#bucket.delete(former);
  }

  /** Discards the body. */
  async discard(): Promise<void> {
    if (this.#liesAt !== null) await this.#bucket.delete(this.#liesAt);
  }

  async #streamFrom(key: string | null): Promise<ReadableStream> {
    const object = key === null ? null : await this.#bucket.get(key);
    if (object === null) throw new Error("an upload has gone from the bucket");
    return object.body;
  }
}

type Body = ReadableStream<Uint8Array> | ArrayBuffer;

/**
 * Reads a body of at most `limit` bytes; null as soon as it is longer. A long body with a declared
 * length is streamed to the bucket, to the key from `placeFor`, so that concurrent uploads do not
 * fill the memory.
 */
export async function receiveUpload(
  bucket: R2Bucket,
  body: Body,
  of: { placeFor: () => Promise<string>; limit: number; announcedBytes: number | null },
): Promise<Upload | null> {
  const { placeFor, limit, announcedBytes } = of;
  const isLong = announcedBytes !== null && announcedBytes > HELD_BYTES && announcedBytes <= limit;
  if (isLong && body instanceof ReadableStream) {
    const key = await placeFor();
    return new Upload(bucket, await pass(bucket, key, body, announcedBytes), { key });
  }
  const bytes = await readLimited(body, limit, announcedBytes);
  if (bytes === null) return null;
  return new Upload(bucket, { size: bytes.byteLength, sha256: await sha256Hex(bytes) }, { bytes });
}

/** Streams the body to the bucket and computes its size and hash. */
async function pass(bucket: R2Bucket, key: string, body: ReadableStream<Uint8Array>, size: number) {
  const { readable, writable } = new FixedLengthStream(size);
  const digest = new crypto.DigestStream("SHA-256");
  const [hash] = await Promise.all([
    digest.digest,
    bucket.put(key, readable),
    copy(body, [writable.getWriter(), digest.getWriter()]),
  ]);
  return { size, sha256: hexOf(new Uint8Array(hash)) };
}

async function copy(
  body: ReadableStream<Uint8Array>,
  writers: WritableStreamDefaultWriter<Uint8Array>[],
): Promise<void> {
  try {
    for await (const part of body) await Promise.all(writers.map((writer) => writer.write(part)));
    await Promise.all(writers.map((writer) => writer.close()));
  } catch (error) {
    await Promise.allSettled(writers.map((writer) => writer.abort(error)));
    throw error;
  }
}
