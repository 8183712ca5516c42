import type { SQLiteTable } from "drizzle-orm/sqlite-core";

import type { RagId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { text } from "../columns.ts";
import { counting, type Slice } from "../page.ts";
import { RAG, RAG_FIELDS, RAG_JOINS, type RagRecord } from "../records.ts";
import { assigned, computed, select, values } from "../select.ts";
import { execute, raw, readRows, runBatch, sql, type Selection } from "../sql.ts";
import { UPDATED } from "../updated-at.ts";

/** A record, its linked RAGs in order of identifier. */
const recordOf = <Stored extends object>(stored: Stored, rags: RagRecord[]) => ({
  ...stored,
  rags,
});

/**
 * What is stored of inferences or of agents: settings of a chat model, and RAGs linked to it.
 * `of` and `known` select from their table `m`.
 */
export function runnerStore<Stored extends { id: string; identifier: string }>(
  kind: "inference" | "agent",
  table: SQLiteTable,
  { of, known }: { of: Selection<Stored>; known: Selection<Pick<Stored, "id" | "identifier">> },
) {
  type Id = Stored["id"];
  const linked = select({ owner: computed(text, `l.${kind}_id`), rag: RAG_FIELDS });
  const name = raw(`${kind}s`);
  const links = raw(`${kind}_rags`);
  const owner = raw(`${kind}_id`);

  const link = (id: Id, ragIds: RagId[]) =>
    sql`insert into ${links} (${owner}, rag_id) select m.id, r.id from ${name} m
      cross join rags r on r.id in (select value from json_each(${ragIds})) where m.id = ${id}`;

  return {
    /** By id or identifier, an id takes precedence; null when there is none. */
    async find(db: Database, key: string) {
      const named = sql`from ${name} m where m.id = ${key} or m.identifier = ${key}
        order by m.id = ${key} desc limit 1`;
      const [[stored], rags] = await runBatch(db, [
        sql`select ${of} ${named}`.reading(of),
        sql`select ${RAG} from ${links} l join rags r on r.id = l.rag_id ${RAG_JOINS}
          where l.${owner} = (select m.id ${named}) and r.removed_at is null
          order by r.identifier`.reading(RAG),
      ]);
      return stored === undefined ? null : recordOf(stored, rags);
    },

    /** A page in order of identifier. */
    async list(db: Database, { offset, limit }: Slice) {
      const page = sql`from ${name} m order by m.identifier limit ${limit} offset ${offset}`;
      const [stored, rags, [counted]] = await runBatch(db, [
        sql`select ${of} ${page}`.reading(of),
        sql`select ${linked} from ${links} l join rags r on r.id = l.rag_id ${RAG_JOINS}
          where l.${owner} in (select m.id ${page}) order by r.identifier`.reading(linked),
        counting(sql`from ${name}`),
      ]);
      const ragsOf = Map.groupBy(rags, (one) => one.owner);
      const data = stored.map((one) =>
        recordOf(
          one,
          (ragsOf.get(one.id) ?? []).map(({ rag }) => rag),
        ),
      );
      return { data, total: counted?.count ?? 0 };
    },

    /** Writes one with its links in one step; false when the identifier is taken. */
    async insert(db: Database, row: Stored, ragIds: RagId[]): Promise<boolean> {
      const [inserted] = await runBatch(db, [
        sql`insert into ${name} ${values(table, row)} on conflict do nothing returning 1`,
        link(row.id, ragIds),
      ]);
      return inserted.length > 0;
    },

    /** Changes one and, unless `ragIds` is null, its links, in one step. */
    async update(
      db: Database,
      id: Id,
      change: { [Name in keyof Stored]?: Stored[Name] | undefined },
      ragIds: RagId[] | null,
    ): Promise<void> {
      await runBatch(db, [
        sql`update ${name} set ${assigned(table, { ...change, id })}, ${UPDATED} where id = ${id}`,
        ...(ragIds === null
          ? []
          : [sql`delete from ${links} where ${owner} = ${id}`, link(id, ragIds)]),
      ]);
    },

    /** Deletes one with its links and the tokens' grants to it. Usage figures stay. */
    async remove(db: Database, id: Id): Promise<void> {
      await execute(db)`delete from ${name} where id = ${id}`;
    },

    /** Which of these identifiers name one, with their ids; any number of them. */
    findIds: (db: Database, identifiers: string[]) =>
      readRows(db, known)`select ${known} from ${name} m
        where m.identifier in (select value from json_each(${identifiers}))`,
  };
}
