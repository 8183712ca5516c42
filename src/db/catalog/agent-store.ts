import { asc, count, eq, inArray, or, sql } from "drizzle-orm";

import type { AgentId, RagId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { among, type Slice } from "../page.ts";
import { updatedNow } from "../updated-at.ts";
import { ragColumns, ragRecordOf, liveGeneration, selectRags } from "./rag-store.ts";
import type { AgentRecord } from "../records.ts";
import { fileSources, agentRags, agents, ragGenerations, rags } from "../schema/index.ts";

type AgentRow = typeof agents.$inferSelect;

/**
 * The queries for one agent: its row, and its linked RAGs, which do not depend on the row's
 * result. `key` is an id or an identifier; an id takes precedence.
 */
function selectAgent(db: Database, key: string) {
  const named = or(sql`${agents.id} = ${key}`, eq(agents.identifier, key));
  const idFirst = sql`${agents.id} = ${key} desc`;
  const found = db.select({ id: agents.id }).from(agents).where(named).orderBy(idFirst).limit(1);
  const linked = db
    .select({ ragId: agentRags.ragId })
    .from(agentRags)
    .where(inArray(agentRags.agentId, found));
  return [
    db.select().from(agents).where(named).orderBy(idFirst).limit(1),
    selectRags(db, inArray(rags.id, linked)).orderBy(asc(rags.identifier)),
  ] as const;
}

function recordOf(row: AgentRow, linked: Parameters<typeof ragRecordOf>[0][]): AgentRecord {
  return { ...row, rags: linked.map(ragRecordOf) };
}

/** By id or identifier; null when there is none. */
export async function findAgentRecord(db: Database, key: string) {
  const [[row], linked] = await db.batch([...selectAgent(db, key)]);
  return row === undefined ? null : recordOf(row, linked);
}

/** A page of the agents in order of identifier, each with its linked RAGs. */
export async function listAgentRecords(db: Database, { offset, limit }: Slice) {
  const page = db
    .select({ id: agents.id })
    .from(agents)
    .orderBy(asc(agents.identifier))
    .limit(limit)
    .offset(offset);
  const [rows, links, [counted]] = await db.batch([
    db.select().from(agents).orderBy(asc(agents.identifier)).limit(limit).offset(offset),
    db
      .select({ agentId: agentRags.agentId, ...ragColumns })
      .from(agentRags)
      .innerJoin(rags, eq(rags.id, agentRags.ragId))
      .innerJoin(fileSources, eq(fileSources.id, rags.fileSourceId))
      .innerJoin(ragGenerations, liveGeneration)
      .where(inArray(agentRags.agentId, page))
      .orderBy(asc(rags.identifier)),
    db.select({ total: count() }).from(agents),
  ]);
  const linksOf = Map.groupBy(links, (link) => link.agentId);
  const data = rows.map((row) => recordOf(row, linksOf.get(row.id) ?? []));
  return { data, total: counted?.total ?? 0 };
}

const link = (db: Database, id: AgentId, ragIds: RagId[]) =>
  db
    .insert(agentRags)
    .select(
      db
        .select({ agentId: agents.id, ragId: rags.id })
        .from(agents)
        .innerJoin(rags, among(rags.id, ragIds))
        .where(eq(agents.id, id)),
    );

/** Writes an agent with its links in one step; false when the identifier is taken. */
export async function insertAgent(db: Database, row: typeof agents.$inferInsert, ragIds: RagId[]) {
  const [inserted] = await db.batch([
    db.insert(agents).values(row).onConflictDoNothing().returning({ id: agents.id }),
    link(db, row.id, ragIds),
  ]);
  return inserted.length > 0;
}

export type AgentChange = Partial<Omit<AgentRow, "id" | "identifier" | "createdAt">>;

/** Changes an agent and, unless `ragIds` is null, its links, in one step. */
export async function updateAgentRow(
  db: Database,
  id: AgentId,
  change: AgentChange,
  ragIds: RagId[] | null,
): Promise<void> {
  const update = db
    .update(agents)
    .set({ ...change, ...updatedNow() })
    .where(eq(agents.id, id));
  if (ragIds === null) {
    await update;
    return;
  }
  const unlink = db.delete(agentRags).where(eq(agentRags.agentId, id));
  await db.batch([update, unlink, link(db, id, ragIds)]);
}

/** Deletes an agent with its links and the tokens' grants to it. Usage figures stay. */
export async function deleteAgent(db: Database, id: AgentId): Promise<void> {
  await db.delete(agents).where(eq(agents.id, id));
}

/** Which of these identifiers name an agent, with their ids; any number of them. */
export async function findAgentIds(db: Database, identifiers: string[]) {
  return await db
    .select({ id: agents.id, identifier: agents.identifier })
    .from(agents)
    .where(among(agents.identifier, identifiers));
}
