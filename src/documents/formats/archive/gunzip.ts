import { createGunzip } from "node:zlib";

import { readLimited } from "../../../core/bytes/read-limited.ts";
import { DOCUMENT_LIMIT_BYTES } from "../../../core/document-limit.ts";
import { UnreadableDocument } from "../../extracted-document.ts";

const MIB = 1 << 20;

export const isGzip = (bytes: Uint8Array) =>
  bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 0x08;

/** Reads all members (RFC 1952, §2.2), as a DecompressionStream does not. @throws UnreadableDocument */
export async function gunzip(bytes: Uint8Array): Promise<Uint8Array> {
  const unpacked: AsyncIterable<Uint8Array> = createGunzip().end(bytes);
  const whole = await readLimited(unpacked, DOCUMENT_LIMIT_BYTES).catch((cause: unknown) => {
    throw new UnreadableDocument("archive is damaged or incomplete", "damaged", { cause });
  });
  if (whole !== null) return whole;
  throw new UnreadableDocument(`file unpacks to more than ${DOCUMENT_LIMIT_BYTES / MIB} MiB`);
}
