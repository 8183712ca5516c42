import { piecesOf, readLimited } from "../../core/bytes/read-limited.ts";
import { throwCutOff } from "../../core/errors.ts";
import { sha256Hex } from "../../core/hash.ts";
import { hexOf } from "../../core/ids.ts";
import type { FileStore } from "../../ports/file-store.ts";

/** Shorter bodies stay in memory until they are known to be new, which saves a write. */
const HELD_BYTES = 1 << 20;

export class Upload {
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
  readonly #files: FileStore;
  readonly #bytes: Uint8Array<ArrayBuffer> | null;
  #liesAt: string | null;

  /** `of`: the bytes themselves, or the key they are stored at. */
  constructor(
    files: FileStore,
    facts: { size: number; sha256: string },
    content: { bytes: Uint8Array<ArrayBuffer> } | { key: string },
  ) {
    ({ size: this.size, sha256: this.sha256 } = facts);
    this.#files = files;
    this.#bytes = "bytes" in content ? content.bytes : null;
    this.#liesAt = "key" in content ? content.key : null;
  }

  /** The body, where it is in memory. */
  get bytes(): Uint8Array<ArrayBuffer> | null {
    return this.#bytes;
  }

  /** Stores the body at this key, and nowhere else. */
  async storeAt(key: string): Promise<void> {
    const former = this.#liesAt;
    if (key === former) return;
    if (this.#bytes !== null && this.size <= HELD_BYTES) await this.#files.put(key, this.#bytes);
    else await this.#files.putParts(key, this.size, await this.#parts(former));
    this.#liesAt = key;
    if (former !== null) await this.#files.delete(former);
  }

  /** Discards the body. */
  async discard(): Promise<void> {
    if (this.#liesAt !== null) await this.#files.delete(this.#liesAt);
  }

  async #parts(key: string | null): Promise<Iterable<Uint8Array> | ReadableStream<Uint8Array>> {
    if (this.#bytes !== null) return slicesOf(this.#bytes);
    const object = key === null ? null : await this.#files.get(key);
    if (object === null) throw new Error("an upload has gone from the bucket");
    return object.body;
  }
}

/**
 * Reads a body of at most `limit` bytes; null as soon as it is longer. A long body with a declared
 * length is streamed to the bucket, to the key from `placeFor`, so that concurrent uploads do not
 * fill the memory.
 */
export async function receiveUpload(
  files: FileStore,
  body: ReadableStream<Uint8Array> | ArrayBuffer,
  upload: { placeFor: () => Promise<string>; limit: number; announcedBytes: number | null },
): Promise<Upload | null> {
  const { placeFor, limit, announcedBytes } = upload;
  const isLong = announcedBytes !== null && announcedBytes > HELD_BYTES && announcedBytes <= limit;
  if (isLong && body instanceof ReadableStream) {
    const key = await placeFor();
    return new Upload(files, await pass(files, key, body, announcedBytes), { key });
  }
  const bytes = await readLimited(body, limit, announcedBytes).catch(throwCutOff);
  if (bytes === null) return null;
  return new Upload(files, { size: bytes.byteLength, sha256: await sha256Hex(bytes) }, { bytes });
}

/** Streams the body to the bucket and computes its size and hash. */
async function pass(files: FileStore, key: string, body: ReadableStream<Uint8Array>, size: number) {
  const digest = new crypto.DigestStream("SHA-256");
  const writer = digest.getWriter();
  const parts = async function* () {
    try {
      for await (const part of piecesOf(body)) {
        await writer.write(part);
        yield part;
      }
    } catch (thrown) {
      throwCutOff(thrown);
    }
    await writer.close();
  };
  await files.putParts(key, size, parts());
  return { size, sha256: hexOf(new Uint8Array(await digest.digest)) };
}

function* slicesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += HELD_BYTES) yield bytes.subarray(at, at + HELD_BYTES);
}
