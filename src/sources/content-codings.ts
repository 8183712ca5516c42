import { SourceFailure } from "../ports/source-reader.ts";

/** https://www.iana.org/assignments/http-parameters (content codings); servers write other words, too. */
const CODING = /^(?:(?:x-)?(?:gzip|compress)|deflate|br|zstd|dcb|dcz)$/;
/** The only ones that `fetch` decodes in workerd, where an answer has no other beside. */
const DECODED = /^(?:gzip|br)$/i;

type Body = ReadableStream<Uint8Array>;

/**
 * An answer whose body is decoded, as some servers compress it unasked. @throws SourceFailure
 * `bad-file` for a coding that is not read.
 */
export async function decodedResponse(response: Response): Promise<Response> {
  const { body, ok, status } = response;
  const header = response.headers.get("content-encoding") ?? "";
  if (body === null || !ok || header === "" || DECODED.test(header)) return response;
  const words = header.split(",").map((word) => word.trim().toLowerCase());
  const codings = words.filter((word) => CODING.test(word));
  if (codings.length === 0) return response;
  let decoded: Body = body;
  for (const coding of codings.reverse()) decoded = await withoutCoding(decoded, coding);
  const headers = new Headers(response.headers);
  for (const name of ["content-encoding", "content-length"]) headers.delete(name);
  return new Response(decoded, { status, headers });
}

async function withoutCoding(body: Body, coding: string): Promise<Body> {
  if (coding.endsWith("gzip")) return body.pipeThrough(decompression("gzip"));
  if (coding === "deflate") return await withoutDeflate(body);
  await body.cancel();
  throw new SourceFailure("bad-file", `compressed in a way that is not read: ${coding}`);
}

/** Many servers leave out the header of RFC 1950 (RFC 9110, §8.4.1.2). */
async function withoutDeflate(body: Body): Promise<Body> {
  const reader = body.getReader();
  const first = await reader.read();
  const [method = 0, flags = 0] = first.value ?? [];
  const hasHeader = (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;
  const whole = new ReadableStream<Uint8Array>({
    start: (controller) => (first.value ? controller.enqueue(first.value) : controller.close()),
    async pull(controller) {
      const { value } = await reader.read();
      if (value === undefined) controller.close();
      else controller.enqueue(value);
    },
    cancel: async (reason) => await reader.cancel(reason),
  });
  return whole.pipeThrough(decompression(hasHeader ? "deflate" : "deflate-raw"));
}

const decompression = (format: "gzip" | "deflate" | "deflate-raw") =>
  new DecompressionStream(format) as TransformStream<Uint8Array, Uint8Array>;
