import type { HonoRequest } from "hono";
import { createMiddleware } from "hono/factory";

import { readLimited } from "../../core/bytes/read-limited.ts";
import { throwCutOff, invalid, notJson, tooLarge, unsupportedEncoding } from "../../core/errors.ts";
import { parseJson } from "../../core/input/parse-json.ts";
import type { AppEnv } from "../app-env.ts";

const JSON_TYPE = "application/json";
const KIB = 1_024;
/** Limit of a body on the public API: 1 MiB. */
const API_BODY_LIMIT_BYTES = 1_024 * KIB;

/** In all lists of a body together: each entry that does not fit becomes an issue. */
const MAX_ENTRIES = 20_000;
/** Entries are separated by commas, so that a shorter body cannot have more of them. */
const MAX_UNCOUNTED_LENGTH = 2 * MAX_ENTRIES;

/**
 * Reads the body as JSON whatever its Content-Type is, for the validators that follow; an absent
 * body is an empty object. Runs after the permission checks in a route's `middleware`.
 * @throws QuarryError `too-large`, `unsupported-encoding`, or `invalid` for too many list
 * entries.
 */
export function jsonBody(limitBytes = API_BODY_LIMIT_BYTES) {
  return createMiddleware<AppEnv>(async ({ req }, next) => {
    refuseContentCoding(req.raw.headers);
    const text = await readText(req.raw, limitBytes);
    // Text that is not JSON is left for the validator to refuse.
    if (text.length > MAX_UNCOUNTED_LENGTH) checkEntries(parseJson(text));
    if (req.raw.headers.get("Content-Type") !== JSON_TYPE) req.raw = toJsonRequest(req.raw);
    setBodyText(req, text.trim() === "" ? "{}" : text);
    await next();
  });
}

/**
 * The body as JSON, for a handler that reads it itself; an absent body is an empty object.
 * @throws QuarryError as `jsonBody` does, and `invalid` for what is not JSON.
 */
export async function readJson(
  request: Request,
  limitBytes = API_BODY_LIMIT_BYTES,
): Promise<unknown> {
  refuseContentCoding(request.headers);
  const text = await readText(request, limitBytes);
  const value = text.trim() === "" ? {} : parseJson(text);
  if (value === undefined) throw notJson();
  if (text.length > MAX_UNCOUNTED_LENGTH) checkEntries(value);
  return value;
}

/** The request without its body, which was read, and with the type that this had. */
export function toJsonRequest(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.set("Content-Type", JSON_TYPE);
  const { method, signal, url } = request;
  return new Request(url, { method, headers, signal });
}

/** Replaces the text that validators and handlers read from now on. */
export function setBodyText(request: HonoRequest, text: string): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Hono reads the text, its type says otherwise
  request.bodyCache = { text: Promise.resolve(text) as never };
}

/** Bodies are never decompressed here. @throws QuarryError `unsupported-encoding`. */
export function refuseContentCoding(headers: Headers): void {
  const coding = (headers.get("Content-Encoding") ?? "").trim().toLowerCase();
  if (coding !== "" && coding !== "identity") throw unsupportedEncoding();
}

const A_LENGTH = /^\d+$/;

/** Whether HTTP ends the body at its announced length; one in chunks may be longer. */
const hasReliableLength = (headers: Headers) =>
  A_LENGTH.test(headers.get("Content-Length") ?? "") && headers.get("Transfer-Encoding") === null;

/** @throws QuarryError `too-large`; `invalid` where the body ends too soon or is not UTF-8. */
export async function readText({ body, headers }: Request, limitBytes: number): Promise<string> {
  if (Number(headers.get("Content-Length") ?? 0) > limitBytes) throw tooLarge();
  if (body === null) return "";
  const reading = hasReliableLength(headers)
    ? new Response(body).arrayBuffer()
    : readLimited(body, limitBytes);
  const bytes = await reading.catch(throwCutOff);
  if (bytes === null) throw tooLarge();
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    // PowerShell 5 sends Latin-1, whose letters would be lost.
    throw invalid("body is not UTF-8");
  }
}

function checkEntries(body: unknown): void {
  const open = [body];
  let entries = 0;
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== "object" || value === null) continue;
    const inner: unknown[] = Object.values(value);
    if (Array.isArray(value)) entries += inner.length;
    if (entries > MAX_ENTRIES) {
      throw invalid(`body must have at most ${MAX_ENTRIES} entries in all its lists`);
    }
    for (const value of inner) open.push(value);
  }
}
