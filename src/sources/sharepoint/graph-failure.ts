import { z } from "zod";

import { SourceFailure } from "../../ports/source-reader.ts";
import { readBytes, retryAfterMs, type GuardedResponse } from "../guarded-fetch.ts";

/*
 * https://learn.microsoft.com/graph/errors
 * https://learn.microsoft.com/sharepoint/dev/general-development/how-to-avoid-getting-throttled-or-blocked-in-sharepoint-online
 */
const ERROR_BODY_LIMIT_BYTES = 65_536;
const CODE_MAX_LENGTH = 60;
export const errorBody = z.object({ error: z.object({ code: z.string().optional() }) });

export type GraphError = { status: number; code: string; retryAfterMs: number | null };

/** Status and code of an answer that is no success; reads its body. */
export async function graphError(got: GuardedResponse, nowMs: number): Promise<GraphError> {
  const { status, headers } = got.response;
  const bytes = await readBytes(got, { limitBytes: ERROR_BODY_LIMIT_BYTES }).catch(() => null);
  return {
    status,
    code: bytes === null ? "" : codeIn(new TextDecoder().decode(bytes)),
    retryAfterMs: retryAfterMs(headers, nowMs),
  };
}

function codeIn(text: string): string {
  try {
    const parsed = errorBody.safeParse(JSON.parse(text));
    return parsed.success ? plainCode(parsed.data.error.code) : "";
  } catch {
    return "";
  }
}

/** A code is a word; anything else that an answer holds there is not repeated. */
export const plainCode = (code = "") =>
  /^[\w.]+$/.test(code) ? code.slice(0, CODE_MAX_LENGTH) : "";

/** SharePoint asks to wait with both, and counts what comes before the time it names. */
const isThrottle = ({ status, code }: GraphError) =>
  status === 429 || status === 503 || code === "activityLimitReached";

/** The failure that an error of Graph's is; `remedy`: what to do when access is refused. */
export function graphFailure(error: GraphError, remedy: string): SourceFailure {
  const { status, code, retryAfterMs: wait } = error;
  const told = `SharePoint: ${status}${code === "" ? "" : ` ${code}`}`;
  if (isThrottle(error)) return new SourceFailure("throttled", told, wait);
  if (status === 401) {
    const needed = "add the application permission Sites.Selected and grant admin consent";
    return new SourceFailure("denied", `${told}: the app may not use SharePoint: ${needed}`);
  }
  if (status === 423) return new SourceFailure("denied", `${told}: the site is locked`);
  if (status === 403 || status === 404) return new SourceFailure("denied", `${told}: ${remedy}`);
  return new SourceFailure("down", told, wait);
}
