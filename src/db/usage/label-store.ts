import type { Database } from "../client.ts";
import { nullable, text } from "../columns.ts";
import { computed, select } from "../select.ts";
import { raw, readRows } from "../sql.ts";

export type Label = { identifier: string | null; name: string };

type Labelled = "inference" | "agent" | "rag" | "token";

const labels = (identifier: string) =>
  select({
    id: computed(text, "id"),
    identifier: computed(nullable(text), identifier),
    name: computed(text, "name"),
  });
const LABEL = labels("identifier");
const TOKEN_LABEL = labels("null");

/** The names of these ids, removed RAGs included; ids that do not exist any more are left out. */
export async function labelsOf(
  db: Database,
  kind: Labelled,
  ids: string[],
): Promise<Map<string, Label>> {
  const of = kind === "token" ? TOKEN_LABEL : LABEL;
  const rows = await readRows(db, of)`select ${of} from ${raw(`${kind}s`)}
    where id in (select value from json_each(${ids}))`;
  return new Map(rows.map(({ id, ...label }) => [id, label]));
}
