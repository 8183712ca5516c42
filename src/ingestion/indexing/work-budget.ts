import type { IndexMessage } from "../../core/queue-messages.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { keyOfFile, renewClaims } from "../../db/files/claim-files.ts";
import type { Services } from "../../services.ts";
import { LEASE_MS } from "../timeouts.ts";
import { messageOf } from "./queue-by-size.ts";

/**
 * A queue consumer starts no further file after this time (ms). With three minutes for reading the
 * last file, it stays below the five minutes of processor time that `wrangler.toml` sets.
 * Processor time cannot be measured, but never exceeds elapsed time.
 */
const BEGIN_WITHIN_MS = MINUTE_MS;

export type WorkBudget = ReturnType<typeof workBudget>;

export function workBudget(now: () => number) {
  const end = now() + BEGIN_WITHIN_MS;
  let hasBegun = false;
  return {
    /** Whether waiting for memory is still worthwhile. */
    mayWait: () => now() < end,
    /** Whether what has not been started will not be. */
    isOver: () => hasBegun && now() >= end,
    /** The first always may, so that every invocation makes progress. */
    mayBegin: () => {
      const may = !hasBegun || now() < end;
      hasBegun = true;
      return may;
    },
  };
}

/** The lease is renewed when this much of it (ms) has passed. */
const RENEW_AFTER_MS = LEASE_MS / 4;

/** A claim on files, renewed for those that their worker still works on. */
export type Lease = { id: string; renew: (files: readonly IndexMessage[]) => Promise<void> };

/** A file that is not named for long is not renewed: its work hangs, whatever the others do. */
export function leaseOf(services: Pick<Services, "db" | "now">, messages: IndexMessage[]): Lease {
  const id = crypto.randomUUID();
  let renewedAt = services.now();
  let active = new Map(messages.map((message) => [keyOfFile(message), message]));
  const renew = async (files: readonly IndexMessage[]) => {
    for (const file of files) active.set(keyOfFile(file), messageOf(file));
    const now = services.now();
    if (now - renewedAt < RENEW_AFTER_MS) return;
    renewedAt = now;
    const groups = [...active.values()];
    active = new Map();
    await renewClaims(services.db, { id, until: now + LEASE_MS }, groups);
  };
  return { id, renew };
}
