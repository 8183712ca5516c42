import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { PROJECT } from "../../../../src/cli/installation.ts";

/**
 * Migrations run while the version before them still serves, and a rollback brings that version
 * back to the new tables. So nothing that it reads or writes may go, be renamed or become stricter.
 */
const FORBIDDEN: [what: string, form: RegExp][] = [
  ["drops a table", /\bdrop\s+table\b/i],
  ["drops a column", /\bdrop\s+column\b/i],
  ["renames a table or a column", /\brename\b/i],
  ["adds a column that the old code leaves empty", /\badd\b(?!.*\bdefault\b).*\bnot null\b/i],
];

/** Lists changes of a migration that the version before it would not survive. */
function breaches(sql: string): string[] {
  const statements = sql
    .replaceAll(/--(?!>).*$/gm, "")
    .split("--> statement-breakpoint")
    .map((statement) => statement.replaceAll(/\s+/g, " "));
  return FORBIDDEN.flatMap(([what, form]) =>
    statements.some((statement) => form.test(statement)) ? [what] : [],
  );
}

/** Written before the first release: no version that anybody runs reads what they drop. */
const BEFORE_RELEASE = new Set(["0003_remove-draft-questions.sql"]);

const folder = join(PROJECT, "migrations");
const names = readdirSync(folder).filter(
  (name) => name.endsWith(".sql") && !BEFORE_RELEASE.has(name),
);

test.each(names)("%s fits the version before it", (name) => {
  expect(breaches(readFileSync(join(folder, name), "utf8"))).toEqual([]);
});

/**
 * Where D1 may cut the body of a trigger: its service splits what `wrangler d1 migrations apply
 * --remote` sends, otherwise than a local database does. The body begins with `BEGIN` in capitals
 * and ends with an `END`, also that of a `CASE` without brackets, and then is "incomplete input"
 * (github.com/cloudflare/workers-sdk/issues/4727 and /15314).
 */
const cutsIn = (sql: string) =>
  sql
    .split("\n")
    .filter((line) => /^(?!\s*--).*\b(?:begin|end)\b(?!\))/i.test(line))
    .filter((line) => line !== "BEGIN" && line !== "END;");

test.each(names)("D1 takes the triggers of %s as they are written", (name) => {
  expect(cutsIn(readFileSync(join(folder, name), "utf8"))).toEqual([]);
});

test("what does not fit is found", () => {
  expect(breaches("DROP TABLE `files`;")).toEqual(["drops a table"]);
  expect(breaches("alter table rags\n drop column name")).toEqual(["drops a column"]);
  expect(breaches("ALTER TABLE `__new_rags` RENAME TO `rags`;")).toHaveLength(1);
  expect(breaches("alter table rags add `note` text NOT NULL;")).toHaveLength(1);
  expect(breaches("alter table rags add `note` text DEFAULT '' NOT NULL;")).toEqual([]);
});
