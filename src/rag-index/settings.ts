import { valueOf } from "./tables.ts";

/** A value of the index object as a whole; null: never set. */
export function readSetting(sql: SqlStorage, name: string): string | null {
  return valueOf(sql, "SELECT value FROM settings WHERE name = ?", name);
}

export function writeSetting(sql: SqlStorage, name: string, value: string): void {
  sql.exec("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", name, value);
}
