import { SECOND_MS } from "../core/time.ts";
import { guardedFetch, readBytes, type Outgoing } from "./guarded-fetch.ts";

/** A person waits for it. */
const TIMEOUT_MS = 10 * SECOND_MS;
/** Larger than any set of keys or description of a provider. */
const ANSWER_LIMIT_BYTES = 1_024 * 1_024;

/**
 * A request of a library, a form at most, through the guard: what it gets is the whole answer within the limit. A
 * redirect is not followed. @throws SourceFailure, as `guardedFetch`
 */
export async function guardedExchange(
  outgoing: Outgoing,
  address: string,
  { method = "GET", headers, body }: RequestInit,
): Promise<Response> {
  const form = body instanceof URLSearchParams ? body.toString() : "";
  const got = await guardedFetch(outgoing, address, {
    ...(method === "POST" ? { post: { body: form } } : {}),
    headers: Object.fromEntries(new Headers(headers)),
    timeoutMs: TIMEOUT_MS,
    maxRedirects: 0,
    signal: new AbortController().signal,
  });
  const bytes = await readBytes(got, { limitBytes: ANSWER_LIMIT_BYTES });
  const { status, headers: told } = got.response;
  return new Response(bytes.length === 0 ? null : bytes, { status, headers: told });
}
