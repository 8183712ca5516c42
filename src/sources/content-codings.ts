import { SourceFailure } from "../ports/source-reader.ts";

/** https://www.iana.org/assignments/http-parameters (content codings); servers write other words, too. */
const CODING = /^(?:(?:x-)?(?:gzip|compress)|deflate|br|zstd|dcb|dcz)$/;
/** The only ones that `fetch` decodes in workerd, in lower case and with no other beside. */
const DECODED = /^(?:gzip|br)$/;

type Body = ReadableStream<Uint8Array>;
type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

/**
 * An answer whose body is decoded, as some servers compress it unasked; for a coding that is not
 * read, reading the body fails with a SourceFailure `bad-file`.
 */
export function decodeResponse(response: Response): Response {
  const { body, ok, status } = response;
  const header = response.headers.get("content-encoding") ?? "";
  if (body === null || !ok || header === "" || DECODED.test(header)) return response;
  const decoded = decodeBody(body, header);
  if (decoded === body) return response;
  const headers = new Headers(response.headers);
  for (const name of ["content-encoding", "content-length"]) headers.delete(name);
  return new Response(decoded, { status, headers });
}

/** Begins when it is read: who needs only the status gets it without. */
export function decodeBody(body: Body, header: string): Body {
  const words = header.split(",").map((word) => word.trim().toLowerCase());
  const coding = words.filter((word) => CODING.test(word)).join(", ");
  if (coding === "") return body;
  const source = body.getReader();
  let decoded: BodyReader | null = null;
  const cancel = async (reason: unknown) => await (decoded ?? source).cancel(reason);
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    decoded ??= (await decompressBody(source, coding)).getReader();
    await pass(decoded, controller);
  };
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}

async function pass(from: BodyReader, to: ReadableStreamDefaultController<Uint8Array>) {
  const { value } = await from.read();
  if (value === undefined) to.close();
  else to.enqueue(value);
}

/** Several codings are not read: twice compressed, a kilobyte fills the memory. */
async function decompressBody(source: BodyReader, coding: string): Promise<Body> {
  const isGzip = /^(?:x-)?gzip$/.test(coding);
  if (!isGzip && coding !== "deflate") {
    await source.cancel();
    throw new SourceFailure("bad-file", `compressed in a way that is not read: ${coding}`);
  }
  const first = await source.read();
  const whole = new ReadableStream<Uint8Array>({
    start: (controller) => (first.value ? controller.enqueue(first.value) : controller.close()),
    pull: async (controller) => await pass(source, controller),
    cancel: async (reason) => await source.cancel(reason),
  });
  if (first.done || (isGzip && first.value[0] !== GZIP_START)) return whole;
  return whole.pipeThrough(decompression(isGzip ? "gzip" : formatOf(first.value)));
}

/** RFC 1952, §2.3.1: without it, a server has declared a coding that it did not apply. */
const GZIP_START = 0x1f;

/** Many servers leave out the header of RFC 1950 (RFC 9110, §8.4.1.2). */
function formatOf([method = 0, flags = 0]: Iterable<number> = []): "deflate" | "deflate-raw" {
  const hasHeader = (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;
  return hasHeader ? "deflate" : "deflate-raw";
}

const decompression = (format: "gzip" | "deflate" | "deflate-raw") =>
  new DecompressionStream(format) as TransformStream<Uint8Array, Uint8Array>;
