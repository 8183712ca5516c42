import { UnreadableDocument } from "../../extracted-document.ts";

const MIB = 1 << 20;
/** The limit of a file: its bytes are in memory at once. */
const MAX_UNPACKED_BYTES = 25 * MIB;

export const isGzip = (bytes: Uint8Array) =>
  bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 0x08;

/** @throws UnreadableDocument when the file is damaged or unpacks to more than any file may have. */
export async function gunzip(bytes: Uint8Array): Promise<Uint8Array> {
  const packed = new Response(new Uint8Array(bytes)).body;
  const reader = packed?.pipeThrough(new DecompressionStream("gzip")).getReader();
  let whole = new Uint8Array(MIB);
  let length = 0;
  try {
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
      if (length + read.value.length > MAX_UNPACKED_BYTES) {
        throw new UnreadableDocument(`file unpacks to more than ${MAX_UNPACKED_BYTES / MIB} MiB`);
      }
      whole = withRoom(whole, length + read.value.length);
      whole.set(read.value, length);
      length += read.value.length;
    }
  } catch (error) {
    if (error instanceof UnreadableDocument) throw error;
    throw new UnreadableDocument("archive is damaged or incomplete", "damaged", { cause: error });
  } finally {
    await reader?.cancel().catch(() => undefined);
  }
  return new Uint8Array(whole.buffer.transfer(length));
}

const withRoom = (bytes: Uint8Array<ArrayBuffer>, length: number) =>
  length <= bytes.length ? bytes : new Uint8Array(bytes.buffer.transfer(length * 2));
