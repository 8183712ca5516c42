import { getTableColumns, getTableName, type Column } from "drizzle-orm";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { z } from "zod";

import { newToken } from "../../../src/access/tokens/token-settings.ts";
import { newAgent } from "../../../src/catalog/agents/agent-settings.ts";
import { newInference } from "../../../src/catalog/inferences/inference-settings.ts";
import { newRag, ragPatch } from "../../../src/catalog/rags/rag-settings.ts";
import { settingFields } from "../../../src/core/input/setting-fields.ts";
import { agents, inferences, ragGenerations, rags, tokens } from "../../../src/db/schema/index.ts";
import { panelDocument } from "../../../src/panel/api/app.ts";

const KINDS = [
  { settings: newRag, table: rags },
  { settings: newInference, table: inferences },
  { settings: newAgent, table: agents },
  { settings: newToken(0), table: tokens },
].map(({ settings, table }) => ({ table, name: getTableName(table), fields: fieldsOf(settings) }));

/** Each setting by itself, without the parts of lists. */
function fieldsOf(settings: z.ZodObject) {
  return settingFields(settings).map((field) =>
    Object.assign(field, { name: field.path.join(".") }),
  );
}

/** The default of a chunk of the usual length; it shrinks with smaller ones. */
const USUAL = new Map<string, unknown>([
  ["chunkOverlap", 60],
  ["scopeMode", "global"],
]);

const TYPES = { number: "number", flag: "boolean", text: "string", choice: "string" };

/** Describes the column that a setting needs. */
function columnFor({ name, kind, fallback, isNullable, choices }: (typeof KINDS)[0]["fields"][0]) {
  const type = name === "expiresAt" ? "number" : Reflect.get(TYPES, kind);
  return { name, type, usual: fallback ?? USUAL.get(name), notNull: !isNullable, choices };
}

test.each(KINDS)("columns of $name have the type, values and default of their settings", (kind) => {
  const columns = getTableColumns(kind.table);
  const storedFields = kind.fields.filter(({ name }) => name in columns);
  expect(storedFields.length).toBeGreaterThan(2);
  const declared = storedFields.map(columnFor);
  const actual = declared.map(({ name, usual, choices }) => {
    const column: Column = Reflect.get(columns, name);
    const { dataType: type, notNull, enumValues = null } = column;
    const defaultValue = column.hasDefault ? column.default : usual;
    return {
      name,
      type,
      usual: defaultValue,
      notNull,
      choices: choices === null ? null : enumValues,
    };
  });
  expect(actual).toEqual(declared);
});

test("the settings that need a new index are those that a generation is built with", () => {
  const rebuilding = fieldsOf(newRag)
    .filter(({ meta }) => meta.newIndex)
    .map(({ name }) => name);
  const built = Object.keys(getTableColumns(ragGenerations));
  expect(
    fieldsOf(newRag)
      .map(({ name }) => name)
      .filter((name) => built.includes(name)),
  ).toEqual(rebuilding);
});

test("a change holds only what was sent, whatever the defaults are", () => {
  expect(ragPatch.parse({ name: "A" })).toEqual({ name: "A" });
});

const lines = readFileSync("docs/panel-api.md", "utf8").split("\n");

test.each(KINDS)("the docs' list of routes names the settings of $name", ({ name, fields }) => {
  const row = lines.find((line) => line.startsWith(`- \`/${name}\``)) ?? "no row";
  const body = /`\{ ([^}]*) \}`/.exec(row)?.[1]?.split(", ").toSorted();
  const declared = fields.map((field) => `${field.name}${field.isRequired ? "" : "?"}`);
  expect(body).toEqual(declared.toSorted());
});

test("the docs' table of RAG settings has their defaults and bounds", () => {
  for (const { name, kind, fallback, max, choices } of fieldsOf(newRag)) {
    const row = lines.find((line) => line.startsWith(`| \`${name}\``));
    if (row === undefined) continue;
    const [, , documented = "", values = ""] = row.split("|").map((cell) => cell.trim());
    const usual = fallback === null ? "none" : JSON.stringify(fallback ?? USUAL.get(name) ?? []);
    expect(`${name}: ${documented.replaceAll("`", "")}`).toBe(
      `${name}: ${usual.replaceAll('"', "")}`,
    );
    if (kind === "number") expect(values).toContain((max ?? 0).toLocaleString("en"));
    for (const choice of choices ?? [])
      expect(`${values} ${documented}`).toContain(`\`${choice}\``);
  }
});

test("the panel API's document tells bounds, default and meaning of a setting", () => {
  const text = JSON.stringify(panelDocument("https://quarry.test"));
  const { chunkSize } = newRag.shape;
  expect(chunkSize.parse(undefined)).toBe(400);
  expect(text).toContain(
    '"chunkSize":{"type":"integer","minimum":16,"maximum":4000,"description":"Passage length. Maximum, in tokens.","default":400,"format":"int32"}',
  );
  expect(text).not.toMatch(/"(label|hint|newIndex|isHalf)":/);
});
