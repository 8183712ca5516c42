import { expect, test } from "vitest";

import { files, ragFiles, ragGenerations, sessions } from "../../../src/db/schema/index.ts";
import { number } from "../../../src/db/select.ts";
import {
  assignSql,
  columnsOf,
  namedColumns,
  maybe,
  pick,
  select,
  values,
} from "../../../src/db/select.ts";
import { raw, runBatch, sql, type Sql } from "../../../src/db/sql.ts";

const f = columnsOf(files, "f");
const FILE = select({
  ...pick(f, "id", "mimeType", "size", "deletedAt", "metadata"),
  row: pick(columnsOf(ragFiles, "x"), "status", "errorIsOutside", "notes"),
  built: maybe(pick(columnsOf(ragGenerations, "g"), "generation", "vectorsIn")),
  passages: number("sum(x.chunk_count)"),
});

const STORED = {
  id: "f1",
  mimeType: "text/plain",
  size: 12,
  deletedAt: null,
  metadata: '{"author":"Ada"}',
  "row.status": "indexed",
  "row.errorIsOutside": 0,
  "row.notes": '["two pages left out"]',
  "built.generation": 3,
  "built.vectorsIn": "object",
  passages: 7,
};

test("a row has the shape of its selection and the types of the table's columns", () => {
  expect(FILE.read({ ...STORED, another: 1 })).toEqual({
    id: "f1",
    mimeType: "text/plain",
    size: 12,
    deletedAt: null,
    metadata: { author: "Ada" },
    row: { status: "indexed", errorIsOutside: false, notes: ["two pages left out"] },
    built: { generation: 3, vectorsIn: "object" },
    passages: 7,
  });
  const unbuilt = { ...STORED, "built.generation": null, "built.vectorsIn": null };
  expect(FILE.read(unbuilt).built).toBeNull();
});

test.each([
  ["id", 7, "column id of a database row is not a text, but number"],
  ["size", "12", "column size of a database row is not a number, but string"],
  ["size", null, "column size of a database row is not a number, but null"],
  ["deletedAt", undefined, "column deletedAt of a database row is not a number, but undefined"],
  ["row.errorIsOutside", 2, "column row.errorIsOutside of a database row is not 0 or 1"],
  ["row.status", "gone", "column row.status of a database row is not one of pending, processing"],
  ["metadata", "[]", "a column does not hold a JSON object"],
  ["row.notes", "[1]", /expected": "string"/],
  ["passages", "7", "column passages of a database row is not a number, but string"],
])("a row whose %s is %j is refused, without its value", (name, value, message) => {
  expect(() => FILE.read({ ...STORED, [name]: value })).toThrow(message);
});

/** The text and parameters of a statement, as D1 gets them. */
async function sentStatement(statement: Sql) {
  const statements: { text: string; parameters: unknown[] }[] = [];
  const $client = {
    prepare: (text: string) => ({
      bind: (...parameters: unknown[]) => {
        statements.push({ text: text.replaceAll(/\s+/g, " "), parameters });
        return {};
      },
    }),
    batch: () => Promise.resolve([{ results: [] }]),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all that a batch uses of D1
  await runBatch({ $client: $client as unknown as D1Database }, [statement]);
  return statements[0];
}

test("values are parameters, equal ones once; parts and selections are text", async () => {
  const id = "'; drop table files";
  const among = sql`f.id in (select value from json_each(${["a", "b"]}))`;
  const selection = select(pick(f, "id", "mimeType"));
  const query = sql`select ${selection} from files f
    where f.id = ${id} and ${among} and (${null} is null or f.path = ${id}) and ${true}`;
  expect(await sentStatement(query)).toEqual({
    text: 'select f.id as "id", f.mime_type as "mimeType" from files f where f.id = ?1 and f.id in (select value from json_each(?2)) and (?3 is null or f.path = ?1) and ?4',
    parameters: [id, '["a","b"]', null, 1],
  });
});

test("what is written has the columns of the table, and only what is given", async () => {
  const change = { size: 5, sha256: undefined, metadata: { a: 1 }, unknown: true };
  expect(await sentStatement(sql`update files set ${assignSql(files, change)}`)).toEqual({
    text: "update files set size = ?1, metadata = ?2",
    parameters: [5, '{"a":1}'],
  });
  const session = { hash: "h", userId: "u", id: "i", createdAt: 1, lastSeenAt: 1 };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an id of a test
  const row = session as typeof sessions.$inferInsert;
  expect(await sentStatement(sql`insert into sessions ${values(sessions, row)}`)).toEqual({
    text: "insert into sessions (hash, user_id, id, created_at, last_seen_at) values (?1, ?2, ?3, ?4, ?4)",
    parameters: ["h", "u", "i", 1],
  });
  const { columns, values: columnValues, excluded } = namedColumns(files, "path", "mimeType");
  const list = sql`insert into files (${columns}) select ${columnValues} from ${raw("m")} set ${excluded}`;
  expect((await sentStatement(list))?.text).toBe(
    "insert into files (path, mime_type) select m.value ->> 'path', m.value ->> 'mimeType' from m set path = excluded.path, mime_type = excluded.mime_type",
  );
});
