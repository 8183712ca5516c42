import { principalOf } from "../../core/principals.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import { mapParallel } from "../../core/work/parallel.ts";
import { dueGroups, endTurn, keepMembers, takeGroupSources } from "../../db/access/member-store.ts";
import type { GroupSource } from "../../db/access/member-store.ts";
import { readAccess } from "../../db/files/reader-store.ts";
import { SourceFailure, type SourceReader } from "../../ports/source-reader.ts";
import type { Services } from "../../services.ts";

/** Each costs a few calls to its provider, and the clock has other work. */
const SOURCES_PER_TURN = 5;
const GROUPS_PER_TURN = 50;
const GROUPS_AT_ONCE = 4;
const TURN_TIMEOUT_MS = 45 * SECOND_MS;
const RETRY_AFTER_MS = 15 * MINUTE_MS;

/** Once a day, and soon after a scan met a new group. Searches read what is kept here. */
export async function syncGroups(services: Services): Promise<void> {
  const now = services.now();
  const retryAt = now + RETRY_AFTER_MS;
  const sources = await takeGroupSources(services.db, now, retryAt, SOURCES_PER_TURN);
  await mapParallel(sources, SOURCES_PER_TURN, async (source) => {
    const isDone = await syncSource(services, source).catch((thrown: unknown) => {
      if (!(thrown instanceof SourceFailure)) throw thrown;
      services.log.warn("groups not read", { fileSourceId: source.id, reason: thrown.message });
      return null;
    });
    if (isDone === null) return;
    const { problems: _shown, ...access } = await readAccess(services.db, source);
    await endTurn(services.db, source.id, {
      taken: retryAt,
      dueAt: isDone ? now + DAY_MS : now,
      access,
    });
  });
}

/** Whether all groups are up to date. @throws SourceFailure `throttled`, `down` */
async function syncSource(services: Services, source: GroupSource): Promise<boolean> {
  const { db } = services;
  const now = services.now();
  const groups = await dueGroups(db, source.id, now - DAY_MS + MINUTE_MS, GROUPS_PER_TURN);
  const reader = await services.sourceReaders(source);
  const signal = AbortSignal.timeout(TURN_TIMEOUT_MS);
  await mapParallel(groups, GROUPS_AT_ONCE, async (group) => {
    const membership = await membersIn(reader, group, signal);
    await keepMembers(db, { sourceId: source.id, group, now, ...membership });
  });
  return groups.length < GROUPS_PER_TURN;
}

/** Members that cannot be read are none. */
async function membersIn(reader: SourceReader | null, group: string, signal: AbortSignal) {
  const name = group.slice(group.indexOf(":") + 1);
  try {
    const addresses = (await reader?.membersOf?.(name, signal)) ?? null;
    if (addresses === null) return { members: [], unknown: "its source lists no members" };
    return { members: addresses.flatMap((address) => principalOf(address) ?? []), unknown: null };
  } catch (thrown) {
    if (!(thrown instanceof SourceFailure) || thrown.kind !== "denied") throw thrown;
    return { members: [], unknown: thrown.message };
  }
}
