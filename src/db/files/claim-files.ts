import type { IndexMessage } from "../../core/queue-messages.ts";
import { IS_EXCLUDED } from "../catalog/exclusion-store.ts";
import { g, s } from "../records.ts";
import { audiences, files, ragFiles, ragGenerations } from "../schema/index.ts";
import { flag, columnsOf, maybe, orNull, pick, select, type Row } from "../select.ts";
import { runBatch, raw, sql, execute, readRows, ColumnSelection, type Database } from "../sql.ts";
import { counterWritesOfFiles } from "./counter-writes.ts";
import { heldUntilSql, isSuspect, CRASHED, MESSAGE, OPEN, READING, sameFile } from "./file-rows.ts";

const [x, f] = [columnsOf(ragFiles, "x"), columnsOf(files, "f")];
const v = columnsOf(ragGenerations, "v");
const { fileSourceId: _of, id: _id, createdAt: _at, deletedAt: _until, ...ofFile } = f;

const CLAIMED = select({
  ...pick(x, "ragId", "generation", "fileId", "revision"),
  ...pick(x, "attempts", "indexedAt", "chunkCount", "fingerprint"),
  ...ofFile,
  ...pick(g, "chunkSize", "chunkOverlap", "shards", "vectorsIn", "embeddingModel", "dimensions"),
  ...pick(g, "passagePrefix", "modelChangedAt"),
  isBuilding: flag("g.state = 'building'"),
  isExcluded: IS_EXCLUDED,
  /** Indexes of the RAG may not know what is left out. */
  areScopesDue: flag(
    "exists (select 1 from rags r where r.id = x.rag_id and r.scopes_due_at is not null)",
  ),
  /** The generation whose vectors are reused where the embedded text is the same. */
  vectorsFrom: maybe(pick(v, "ragId", "generation", "shards")),
  /** The file there: in a copy of a source, the file with the same path. */
  copiedFile: orNull(
    new ColumnSelection(
      raw(`(select o.id from rags t join files o on o.file_source_id = t.file_source_id
        and o.path = f.path where t.id = g.copy_of)`),
      f.id.read,
    ),
  ),
  source: pick(s, "id", "provider", "config", "sealedSecrets", "imageModel", "pictures"),
  readers: orNull(columnsOf(audiences, "a").readers),
});

/**
 * Everything needed to index one file in one generation. `attempts` includes this one (1: the
 * first). `chunkCount` live chunks exist in the generation, made from `fingerprint`; `indexedAt`
 * is the last success in any. `isBuilding`: the generation is not live yet.
 */
export type ClaimedFile = Row<typeof CLAIMED> & {
  /** Its last worker died: this file may be the cause. */
  isSuspect: boolean;
};

/** Files not returned are done, void, or claimed by another worker. One round trip per batch. */
export async function claimFiles(
  db: Database,
  messages: IndexMessage[],
  { id, until, now }: { id: string; until: number; now: number },
): Promise<ClaimedFile[]> {
  const suspect = isSuspect("x", now);
  const steps = [
    sql`select ${MESSAGE} from json_each(${messages}) m cross join rag_files x on ${sameFile("x")}
      where ${suspect}`,
    sql`update rag_files as x set status = 'processing', lease_id = ${id}, leased_until = ${until},
        attempts = x.attempts + case when ${suspect} then 0 else 1 end
      from json_each(${messages}) m
      where ${sameFile("x")} and x.revision = m.value ->> 'revision'
        and x.attempts < ${READING}
        and (x.status = 'pending' or (x.status = 'processing' and ${heldUntilSql("x")} < ${now}))
        and exists (select 1 from rags r join rag_generations g on g.rag_id = r.id
          where r.id = x.rag_id and r.status = 'active' and r.removed_at is null
            and g.generation = x.generation and ${OPEN})`,
    sql`select ${CLAIMED} from json_each(${messages}) m
        cross join rag_files x on ${sameFile("x")}
        join files f on f.id = x.file_id
        join rag_generations g on g.rag_id = x.rag_id and g.generation = x.generation
        left join rag_generations v on v.rag_id = coalesce(g.copy_of, x.rag_id)
          and v.generation = g.vectors_from and v.state <> 'dropped'
        join file_sources s on s.id = f.file_source_id
        left join audiences a on a.id = f.audience
      where x.lease_id = ${id} and f.deleted_at is null`,
  ] as const;
  const [suspects, , rows] = await runBatch(db, steps, counterWritesOfFiles(messages));
  const suspected = new Set(suspects.map(keyOfFile));
  return rows.map((row) => {
    const isSuspect = suspected.has(keyOfFile(row));
    // A suspect's attempt is counted when its work begins.
    return Object.assign(row, { isSuspect, attempts: row.attempts + (isSuspect ? 1 : 0) });
  });
}

export const keyOfFile = ({ ragId, generation, fileId }: Omit<IndexMessage, "revision">) =>
  `${ragId} ${generation} ${fileId}`;

/** Renews a live worker's claim on the files of these messages. */
export const renewClaims = (
  db: Database,
  lease: { id: string; until: number },
  messages: IndexMessage[],
) =>
  execute(db)`update rag_files set leased_until = ${lease.until} from json_each(${messages}) m
    where ${sameFile()} and rag_files.lease_id = ${lease.id} and rag_files.status = 'processing'`;

/** Makes claimed files pending again. Returns what to queue: those that nobody changed. */
export async function releaseClaims(
  db: Database,
  files: ClaimedFile[],
  { leaseId, claimedUntil }: { leaseId: string; claimedUntil: number },
): Promise<IndexMessage[]> {
  const list = files.map(({ ragId, generation, fileId, revision, isSuspect }) => {
    return { ragId, generation, fileId, revision, isSuspect };
  });
  // The claim counted an attempt, unless of a suspect.
  return await readRows(db)`update rag_files set status = 'pending',
      claimed_until = ${claimedUntil},
      attempts = max(0, attempts - (1 - (m.value ->> 'isSuspect'))),
      lease_id = case when m.value ->> 'isSuspect' then ${CRASHED} end
    from json_each(${list}) m
    where ${sameFile()} and rag_files.revision = m.value ->> 'revision'
      and rag_files.lease_id = ${leaseId} and rag_files.status = 'processing'
    returning ${MESSAGE}`;
}
