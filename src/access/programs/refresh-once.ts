import { z } from "zod";

import { sha256Hex } from "../../core/hash.ts";
import type { TokenId } from "../../core/ids.ts";
import { parseJson } from "../../core/input/parse-json.ts";
import { SECOND_MS } from "../../core/time.ts";
import { claimRefresh, endRefresh, REPEATED_MS } from "../../db/access/grant-store.ts";
import type { Services } from "../../services.ts";
import { seal, unseal } from "../seal.ts";

/** Longer than a refresh takes; a call that was killed holds the others up for so long. */
const CLAIM_MS = 10 * SECOND_MS;
const POLL_MS = 50;

/** Hash of the call; body and headers of the answer. */
const repeatable = z.tuple([z.string(), z.string(), z.record(z.string(), z.string())]);

/**
 * Refreshes the tokens of a grant, one call at a time: programs refresh from several places at once
 * and repeat a call whose answer was lost. The same call, credentials included, gets the same
 * answer for some minutes. `refresh` learns whether the last refresh was so recent that an old token
 * is no sign of theft (https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2), and whether it was
 * cut off, so that nobody may have got its tokens.
 */
export async function refreshOnce(
  { config, db, now }: Pick<Services, "config" | "db" | "now">,
  { id, call }: { id: TokenId; call: string },
  refresh: (last: { isRecent: boolean; isCutOff: boolean }) => Promise<Response>,
): Promise<Response> {
  let last = null;
  let until;
  while ((last = await claimRefresh(db, id, now(), (until = now() + CLAIM_MS))) === null) {
    await scheduler.wait(POLL_MS);
  }
  if (last === undefined) return await refresh({ isRecent: true, isCutOff: false });
  const { refreshedUntil, lastRefresh } = last;
  let end = { refreshedUntil, lastRefresh };
  try {
    const isRecent = refreshedUntil > now() - REPEATED_MS;
    const request = await sha256Hex(call);
    const text = isRecent ? await unseal(config, lastRefresh ?? "").catch(() => "") : "";
    const { data: [before, answer, failure = {}] = [] } = repeatable.safeParse(parseJson(text));
    if (before === request) return new Response(answer, { headers: failure });
    const isCutOff = refreshedUntil > 0 && lastRefresh === null;
    const response = await refresh({ isRecent, isCutOff });
    if (!response.ok) return response;
    const body = await response.text();
    const headers = Object.fromEntries(response.headers);
    const sealed = await seal(config, JSON.stringify([request, body, headers]));
    end = { refreshedUntil: now(), lastRefresh: sealed };
    return new Response(body, { headers });
  } finally {
    await endRefresh(db, { id, until }, end);
  }
}
