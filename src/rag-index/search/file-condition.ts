import { BitSet } from "../../core/bit-set.ts";
import { normalForm } from "../../core/normal-form.ts";
import { isoTime, timeIn } from "../../core/time.ts";
import { trimEnd } from "../../core/trim.ts";
import type { FileComparison, FileCondition, MetadataFilter } from "../../ports/file-condition.ts";
import { run, select, valuesOf, type Row } from "../tables.ts";

/** Finds live files for which conditions hold, hidden ones among them; the caller may change it. */
export function createFileFinder(sql: SqlStorage): (condition: FileCondition) => BitSet {
  let all: BitSet | null = null;
  const allFiles = () => {
    all ??= new BitSet(valuesOf<number>(sql)`SELECT file FROM files WHERE state = 'live'`);
    return all.copy();
  };
  const findMatching = (condition: FileCondition): BitSet => {
    if ("any" in condition) {
      return condition.any.reduce((union, part) => union.unite(findMatching(part)), new BitSet());
    }
    if ("not" in condition) return allFiles().subtract(findMatching(condition.not));
    if ("paths" in condition) return filesAt(sql, condition.paths);
    if ("folder" in condition) return new BitSet(filesInFolders(sql, [condition.folder]));
    if ("metadata" in condition) return filesWith(sql, condition.metadata);
    if ("compare" in condition) return findByComparison(sql, condition.compare);
    const [first, ...rest] = condition.all;
    if (first === undefined) return allFiles();
    return rest.reduce((common, part) => common.intersect(findMatching(part)), findMatching(first));
  };
  return findMatching;
}

/** The first text after all that begin with `folder/`: the character `0` follows `/`. */
const endOf = (folder: string) => `${folder}0`;

export function filesInFolders(sql: SqlStorage, folders: string[]): number[] {
  // A range instead of LIKE: exact for any characters and length, and served by the path's index.
  const ranges = folders.map((folder) => {
    const bare = trimEnd(folder, "/");
    return bare === "" ? ["", "\u{10ffff}"] : [`${bare}/`, endOf(bare)];
  });
  return valuesOf<number>(sql)`SELECT f.file FROM json_each(${ranges}) range CROSS JOIN files f
    ON f.path >= range.value ->> 0 AND f.path < range.value ->> 1 WHERE f.state = 'live'`;
}

/** Values of macOS and of drives may be decomposed; paths are not. */
const formsOf = (value: string) => [value, nfc(value), normalForm(value, "NFD")];

function filesWith(sql: SqlStorage, { field, values }: MetadataFilter): BitSet {
  const forms = values.flatMap(formsOf);
  return new BitSet(valuesOf<number>(sql)`SELECT DISTINCT m.file FROM json_each(${forms}) wanted
    CROSS JOIN file_metadata m ON m.field = ${field} AND m.value = wanted.value`);
}

function filesAt(sql: SqlStorage, paths: string[]): BitSet {
  return new BitSet(valuesOf<number>(sql)`SELECT f.file FROM json_each(${paths}) name
    CROSS JOIN files f ON f.path = name.value WHERE f.state = 'live'`);
}

const nfc = (text: string) => normalForm(text, "NFC");

type Value = Row<"file_metadata", "file" | "value">;

function findByComparison(sql: SqlStorage, comparison: FileComparison): BitSet {
  if (comparison.of === "modifiedAt") return findByModification(sql, comparison);
  const rows =
    comparison.of === "path"
      ? run<Value>(sql)`SELECT file, path AS value FROM files WHERE state = 'live'`
      : run<Value>(sql)`SELECT file, value FROM file_metadata WHERE field = ${comparison.of.field}`;
  const files = new BitSet();
  const composed =
    "text" in comparison ? { ...comparison, text: nfc(comparison.text) } : comparison;
  for (const { file, value } of rows) if (isPassing(nfc(value), composed)) files.add(file);
  return files;
}

/** A number, too, is compared with the time in ms. */
function findByModification(sql: SqlStorage, comparison: FileComparison): BitSet {
  const isMatch = (at: number) =>
    comparison.test === "order" ? isInOrder(at, comparison) : isPassing(isoTime(at), comparison);
  const rows = select(sql, "files", ["file", "modified_at"], "WHERE state = 'live'");
  return new BitSet(rows.flatMap(({ file, modified_at: at }) => (isMatch(at) ? [file] : [])));
}

function isPassing(value: string, comparison: FileComparison): boolean {
  switch (comparison.test) {
    case "present":
      return value !== "";
    case "contains":
      return value.includes(comparison.text);
    case "starts":
      return value.startsWith(comparison.text);
    case "ends":
      return value.endsWith(comparison.text);
    case "order":
      return isInOrder((comparison.kind === "number" ? numberIn : timeIn)(value), comparison);
    default:
      return comparison satisfies never;
  }
}

const NUMBER = /^-?\d{1,30}(\.\d{1,30})?(e[+-]?\d{1,3})?$/i;

type Order = Extract<FileComparison, { test: "order" }>;

function isInOrder(field: number | null, { relation, value }: Order): boolean {
  if (field === null) return false;
  if (relation === "<") return field < value;
  if (relation === "<=") return field <= value;
  return relation === ">" ? field > value : field >= value;
}

function numberIn(text: string): number | null {
  return NUMBER.test(text) ? Number(text) : null;
}
