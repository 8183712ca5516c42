import { createMiddleware } from "hono/factory";

import { tooLarge, unsupportedEncoding } from "../../core/errors.ts";
import type { AppEnv } from "../app-env.ts";

const KIB = 1_024;
/** Limit of a body on the public API: 1 MiB. */
const API_BODY_LIMIT_BYTES = 1_024 * KIB;

/**
 * Reads the body as JSON whatever its Content-Type says, for the validators that follow; an
 * absent body is an empty object. Stands behind the permission checks in a route's `middleware`.
 * @throws QuarryError `too-large`, `unsupported-encoding`.
 */
export function jsonBody(limitBytes = API_BODY_LIMIT_BYTES) {
  return createMiddleware<AppEnv>(async ({ req }, next) => {
    refuseCoded(req.raw.headers);
    const text = await readText(req.raw, limitBytes);
    const headers = new Headers(req.raw.headers);
    headers.set("Content-Type", "application/json");
    const { method, signal, url } = req.raw;
    req.raw = new Request(url, { method, headers, signal });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Hono reads the text, its type says otherwise
    req.bodyCache = { text: Promise.resolve(text.trim() === "" ? "{}" : text) as never };
    await next();
  });
}

/** Nothing decompresses a body here. @throws QuarryError `unsupported-encoding`. */
export function refuseCoded(headers: Headers): void {
  const coding = (headers.get("Content-Encoding") ?? "").trim().toLowerCase();
  if (coding !== "" && coding !== "identity") throw unsupportedEncoding();
}

async function readText(request: Request, limitBytes: number): Promise<string> {
  if (Number(request.headers.get("Content-Length") ?? 0) > limitBytes) throw tooLarge();
  if (request.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  const body: ReadableStream<Uint8Array> = request.body;
  for await (const piece of body) {
    size += piece.byteLength;
    if (size > limitBytes) throw tooLarge();
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}
