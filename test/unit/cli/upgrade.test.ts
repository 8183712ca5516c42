import { expect, test } from "vitest";

import { upgradeNotice } from "../../../src/cli/worker/upgrade.ts";
import { INDEX_FORMAT } from "../../../src/core/index-format.ts";

const migrations = ["0000_tables.sql", "0001_more.sql"];
const nothing = { indexes: 0, files: 0, passages: 0, format: 0, migration: "0001_more.sql" };
const noticeOf = (row: unknown) => upgradeNotice(row, "The state folder x", migrations);
const notice = (row: object) => noticeOf({ ...nothing, ...row });

test("an upgrade says what it rebuilds, and nothing where nothing is rebuilt", () => {
  const earlier = { indexes: 2, files: 40, passages: 900, format: INDEX_FORMAT - 1 };
  expect(notice(earlier)).toMatch(/rebuilds 2 of the indexes .*40 files with 900 passages/);
  expect(notice({})).toBeNull();
  expect(noticeOf(undefined)).toBeNull();
});

test("a database of a later version is refused with a sentence", () => {
  const later = /^The state folder x was written by a later version of Quarry\./;
  expect(() => notice({ format: INDEX_FORMAT + 1 })).toThrow(later);
  expect(() => notice({ migration: "0002_later.sql" })).toThrow(later);
});
