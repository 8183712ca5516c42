/** A name from a document may be a property of every object: `constructor`. */
export const ownEntryOf = <Entry>(table: Record<string, Entry>, name: string): Entry | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
