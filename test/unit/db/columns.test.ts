import { expect, test } from "vitest";

import {
  flag,
  id,
  jsonObject,
  json,
  nullable,
  number,
  oneOf,
  row,
  text,
  textList,
} from "../../../src/db/columns.ts";
import type { RagId } from "../../../src/core/ids.ts";

const READER = row({
  id: id<RagId>(),
  size: number,
  deletedAt: nullable(number),
  isPushed: flag,
  status: oneOf(["pending", "indexed"]),
  metadata: jsonObject,
  notes: textList,
  progress: json({ parse: (given) => (Array.isArray(given) ? given.length : -1) }),
});

const STORED = {
  id: "r1",
  size: 12,
  deletedAt: null,
  isPushed: 1,
  status: "indexed",
  metadata: '{"author":"Ada"}',
  notes: '["two pages left out"]',
  progress: "[1,2]",
};

test("a row of a query gets the types that its reader names", () => {
  expect(READER({ ...STORED, another: 1 })).toEqual({
    id: "r1",
    size: 12,
    deletedAt: null,
    isPushed: true,
    status: "indexed",
    metadata: { author: "Ada" },
    notes: ["two pages left out"],
    progress: 2,
  });
});

test.each([
  ["id", 7, "column id of a database row is not a text, but number"],
  ["size", "12", "column size of a database row is not a number, but string"],
  ["size", null, "column size of a database row is not a number, but null"],
  ["deletedAt", undefined, "column deletedAt of a database row is not a number, but undefined"],
  ["isPushed", 2, "column isPushed of a database row is not 0 or 1, but number"],
  ["status", "gone", "column status of a database row is not one of pending, indexed, but string"],
  ["metadata", "[]", "column metadata of a database row is not a JSON object, but object"],
  ["notes", "[1]", "column notes of a database row is not a JSON list of texts, but object"],
])("a row whose %s is %j is refused, without its value", (name, value, message) => {
  expect(() => READER({ ...STORED, [name]: value })).toThrow(message);
});

test("a column that the SQL does not name is missed", () => {
  const { text: _missing, ...rest } = { text: "", other: 1 };
  expect(() => row({ text })(rest)).toThrow("column text of a database row is not a text");
});
