import { invalidField, orNotFound } from "../../core/errors.ts";
import type { FileSourceId } from "../../core/ids.ts";
import { writeMetadata } from "../../db/files/write-files.ts";
import type { Services } from "../../services.ts";
import { QUEUED_CLAIM_MS } from "../timeouts.ts";

/** Characters of the JSON; the header of an upload holds about as much. */
const METADATA_MAX_LENGTH = 16_000;

/**
 * Replaces a pushed file's metadata. The indexes are told within seconds; the file keeps its
 * version, passages and vectors.
 * @throws QuarryError `not-found`, `invalid`: too long
 */
export async function describePushedFile(
  services: Pick<Services, "db" | "now" | "queue">,
  of: { source: { id: FileSourceId }; path: string; metadata: Record<string, unknown> },
): Promise<void> {
  const { source, path, metadata } = of;
  if (JSON.stringify(metadata).length > METADATA_MAX_LENGTH)
    throw invalidField("metadata", `must have at most ${METADATA_MAX_LENGTH} characters as JSON`);
  const now = services.now();
  const times = { now, claimedUntil: now + QUEUED_CLAIM_MS };
  const messages = orNotFound(
    await writeMetadata(services.db, { path, metadata }, source.id, times),
  );
  await services.queue.index(messages, { together: true });
}
