import { renewLease } from "../db/rag-file-store.ts";
import type { Services } from "../services.ts";
import { LEASE_MS } from "./hold-times.ts";

/** It is renewed when so much of it is used up, ms. */
const RENEW_AFTER_MS = LEASE_MS / 4;

/** A hold on rows, renewed while its worker lives. */
export type Lease = { id: string; renew: () => Promise<void> };

export function leaseOf(services: Pick<Services, "db" | "now">): Lease {
  const id = crypto.randomUUID();
  let renewedAt = services.now();
  const renew = async () => {
    const now = services.now();
    if (now - renewedAt < RENEW_AFTER_MS) return;
    renewedAt = now;
    await renewLease(services.db, id, now + LEASE_MS);
  };
  return { id, renew };
}
