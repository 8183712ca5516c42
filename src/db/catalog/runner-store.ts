import type { SQLiteTable } from "drizzle-orm/sqlite-core";

import type { RagId } from "../../core/ids.ts";
import { countSql, type Slice } from "../page.ts";
import { RAG, RAG_FIELDS, RAG_JOINS } from "../records.ts";
import { inferences, agents } from "../schema/index.ts";
import { text, assignSql, select, values, columnsOf, pick, UPDATED } from "../select.ts";
import { execute, raw, readRows, onlyRow, runBatch, sql } from "../sql.ts";
import type { Database, Selection } from "../sql.ts";
import { closeToMembers } from "./open-to-members.ts";

type Kind = "inference" | "agent";
type StoredRunner = { id: string; identifier: string };

/** SQL of what depends on the kind. */
const namesOf = (kind: Kind) => ({
  name: raw(`${kind}s`),
  links: raw(`${kind}_rags`),
  owner: raw(`${kind}_id`),
});

/** Inferences or agents with their RAGs. `selection` and `keys` select from their table `m`. */
function runnerReads<Runner extends StoredRunner>(
  kind: Kind,
  selection: Selection<Runner>,
  keys: Selection<Pick<Runner, "id" | "identifier">>,
) {
  const { name, links, owner } = namesOf(kind);
  const linked = select({ owner: text(`l.${kind}_id`), rag: RAG_FIELDS });
  const rags = sql`from ${links} l join rags r on r.id = l.rag_id ${RAG_JOINS}
    where r.removed_at is null`;
  return {
    /** By id or identifier, an id takes precedence; null when there is none. */
    find: async (db: Database, key: string) => {
      const matching = sql`from ${name} m where m.id = ${key} or m.identifier = ${key}
        order by m.id = ${key} desc limit 1`;
      const [[row], ragRows] = await runBatch(db, [
        sql`select ${selection} ${matching}`,
        sql`select ${RAG} ${rags} and l.${owner} = (select m.id ${matching})
          order by r.identifier`,
      ]);
      return row === undefined ? null : Object.assign(row, { rags: ragRows });
    },

    /** A page in order of identifier. */
    list: async (db: Database, { offset, limit }: Slice) => {
      const page = sql`from ${name} m order by m.identifier limit ${limit} offset ${offset}`;
      const [rows, linkRows, counts] = await runBatch(db, [
        sql`select ${selection} ${page}`,
        sql`select ${linked} ${rags} and l.${owner} in (select m.id ${page})
          order by r.identifier`,
        countSql(sql`from ${name}`),
      ]);
      const linksOf = Map.groupBy(linkRows, (link) => link.owner);
      const data = rows.map((row) =>
        Object.assign(row, { rags: (linksOf.get(row.id) ?? []).map(({ rag }) => rag) }),
      );
      return { data, total: onlyRow(counts).count };
    },

    /** Which of these identifiers name one, with their ids; any number of them. */
    findIds: (db: Database, identifiers: string[], onlyOpen = false) =>
      readRows(db)`select ${keys} from ${name} m
        where (m.open_to_members or not ${onlyOpen}) and m.identifier in (select value from json_each(${identifiers}))`,
  };
}

/** Writes inferences or agents and their links. */
function runnerWrites<Runner extends StoredRunner & { openToMembers?: boolean | undefined }>(
  kind: Kind,
  table: SQLiteTable,
) {
  const { name, links, owner } = namesOf(kind);
  const link = (id: Runner["id"], ragIds: RagId[]) =>
    sql`insert into ${links} (${owner}, rag_id) select m.id, r.id from ${name} m
      cross join rags r on r.id in (select value from json_each(${ragIds})) where m.id = ${id}`;
  return {
    /** Writes one with its links in one step; false when the identifier is taken. */
    insert: async (db: Database, row: Runner, ragIds: RagId[]): Promise<boolean> => {
      const [inserted] = await runBatch(db, [
        sql`insert into ${name} ${values(table, row)} on conflict do nothing returning 1`,
        link(row.id, ragIds),
      ]);
      return inserted.length > 0;
    },

    /** Changes one and, unless `ragIds` is null, its links, in one step. */
    update: async (
      db: Database,
      id: Runner["id"],
      change: { [Name in keyof Runner]?: Runner[Name] | undefined },
      ragIds: RagId[] | null,
    ): Promise<void> => {
      const unlink = sql`delete from ${links} where ${owner} = ${id}`;
      await runBatch(db, [
        sql`update ${name} set ${assignSql(table, { ...change, id })}, ${UPDATED} where id = ${id}`,
        ...(ragIds === null ? [] : [unlink, link(id, ragIds)]),
        ...(change.openToMembers === false ? closeToMembers() : []),
      ]);
    },

    /** Deletes one with its links and the tokens' grants to it. Usage figures stay. */
    remove: (db: Database, id: Runner["id"]) => execute(db)`delete from ${name} where id = ${id}`,
  };
}

type InferenceRow = typeof inferences.$inferInsert;
export type InferenceChange = Partial<Omit<InferenceRow, "id" | "identifier" | "createdAt">>;

const i = columnsOf(inferences, "m");

export const inferenceRows = {
  ...runnerReads("inference", select(i), select(pick(i, "id", "identifier"))),
  ...runnerWrites<InferenceRow>("inference", inferences),
};

type AgentRow = typeof agents.$inferInsert;
export type AgentChange = Partial<Omit<AgentRow, "id" | "identifier" | "createdAt">>;

const a = columnsOf(agents, "m");

export const agentRows = {
  ...runnerReads("agent", select(a), select(pick(a, "id", "identifier"))),
  ...runnerWrites<AgentRow>("agent", agents),
};
