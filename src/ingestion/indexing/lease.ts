import { renewClaims } from "../../db/files/release-claims.ts";
import type { IndexMessage } from "../../ports/job-queue.ts";
import type { Services } from "../../services.ts";
import { LEASE_MS } from "../timeouts.ts";

/** The lease is renewed when this much of it (ms) has passed. */
const RENEW_AFTER_MS = LEASE_MS / 4;

/** A claim on rows, renewed while its worker is alive. */
export type Lease = { id: string; renew: () => Promise<void> };

/** A lease for these messages, after they were claimed under the lease's id. */
export function leaseOf(services: Pick<Services, "db" | "now">, messages: IndexMessage[]): Lease {
  const id = crypto.randomUUID();
  let renewedAt = services.now();
  const renew = async () => {
    const now = services.now();
    if (now - renewedAt < RENEW_AFTER_MS) return;
    renewedAt = now;
    await renewClaims(services.db, { id, until: now + LEASE_MS }, messages);
  };
  return { id, renew };
}
