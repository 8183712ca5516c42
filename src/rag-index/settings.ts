/** A value of the index object as a whole; null: never set. */
export function readSetting(sql: SqlStorage, name: string): string | null {
  const rows = sql.exec<{ value: string }>("SELECT value FROM settings WHERE name = ?", name);
  return rows.toArray()[0]?.value ?? null;
}

export function writeSetting(sql: SqlStorage, name: string, value: string): void {
  sql.exec("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", name, value);
}
