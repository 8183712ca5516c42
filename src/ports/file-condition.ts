/** A key of the file's metadata and values of which one must match. Entries are ANDed. */
export type MetadataFilter = { field: string; values: string[] };

/** An empty `all` holds for every file, an empty `any` for none; the maker bounds the size. */
export type FileCondition =
  | { all: FileCondition[] }
  | { any: FileCondition[] }
  | { not: FileCondition }
  | { paths: string[] }
  | { folder: string }
  | { metadata: MetadataFilter }
  | { compare: FileComparison };

/**
 * A comparison with the path, the time of the last change or any value of a metadata field.
 * `present`: there is a value.
 * `order`: of numbers, or of times (a date, or a date and time, in ISO 8601; the value in ms);
 * what is neither compares with nothing.
 */
export type FileComparison = { of: "path" | "modifiedAt" | { field: string } } & (
  | { test: "present" }
  | { test: "contains" | "starts" | "ends"; text: string }
  | { test: "order"; kind: "number" | "time"; relation: "<" | "<=" | ">" | ">="; value: number }
);
