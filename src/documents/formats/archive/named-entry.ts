/** What a table has under a name that a document gives, which may be that of an object's own parts: `constructor`, `__proto__`. */
export const entryNamed = <Entry>(table: Record<string, Entry>, name: string): Entry | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
