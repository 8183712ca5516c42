import { computed, nullable, select, text, type Row } from "../select.ts";
import { raw, runBatch, sql, type Database } from "../sql.ts";

/** The tables of what events name, by the first word of their action. */
const TABLES = {
  "file-sources": { table: "file_sources", name: "name", identifier: "identifier" },
  rags: { table: "rags", name: "name", identifier: "identifier" },
  inferences: { table: "inferences", name: "name", identifier: "identifier" },
  agents: { table: "agents", name: "name", identifier: "identifier" },
  "question-sets": { table: "question_sets", name: "name", identifier: "identifier" },
  tokens: { table: "tokens", name: "name", identifier: "id" },
  keys: { table: "keys", name: "name", identifier: "id" },
  users: { table: "users", name: "email", identifier: "email" },
};
type Kind = keyof typeof TABLES;
const isKind = (kind: string): kind is Kind => Object.hasOwn(TABLES, kind);

const NAMED = select({
  kind: computed(text, "kind"),
  id: computed(text, "id"),
  identifier: computed(nullable(text), "identifier"),
  name: computed(text, "name"),
});
export type Named = Row<typeof NAMED>;

/** Of what an event is: "rags" and an id or identifier. */
export type Thing = { kind: string; key: string };

export const thingOf = ({ action, target }: { action: string; target: string | null }): Thing => {
  const [kind = ""] = action.split(".", 1);
  const [key = ""] = (target ?? "").split("/", 1);
  return { kind, key };
};

/** Those of the things that there still are, with their names. Reads at most two rows of each. */
export async function namesOf(db: Database, things: readonly Thing[]): Promise<Named[]> {
  const byKind = Map.groupBy(things, ({ kind }) => kind);
  const statements = [...byKind].flatMap(([kind, ofKind]) => {
    if (!isKind(kind)) return [];
    const { table, name, identifier } = TABLES[kind];
    const keys = [...new Set(ofKind.map(({ key }) => key))];
    return [
      sql`${raw(`select '${kind}' as kind, id, ${identifier} as identifier, ${name} as name
        from ${table}`)} where id in (select value from json_each(${keys}))
        or ${raw(identifier)} in (select value from json_each(${keys}))`.reading(NAMED),
    ];
  });
  // One statement would be a union of more parts than D1 takes.
  return (await runBatch(db, statements)).flat();
}

export const nameOf = (names: readonly Named[], { kind, key }: Thing): Named | undefined =>
  names.find((one) => one.kind === kind && (one.id === key || one.identifier === key));
