/**
 * Looks up a table by a name from a document, which may also be a property of every object:
 * `constructor`, `__proto__`.
 */
export const entryNamed = <Entry>(table: Record<string, Entry>, name: string): Entry | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
