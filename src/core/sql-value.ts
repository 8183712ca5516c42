/** A value as SQLite takes it, of D1 or of a Durable Object: flags as 0 and 1, lists as JSON. */
export function bindable(value: unknown): SqlStorageValue | Uint8Array {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  const isBytes = value instanceof ArrayBuffer || value instanceof Uint8Array;
  return isBytes ? value : JSON.stringify(value);
}
