import type { Database } from "../client.ts";
import { among } from "../page.ts";
import { agents, inferences, rags, tokens } from "../schema/index.ts";

export type Label = { identifier: string | null; name: string };

type Labelled = "inference" | "agent" | "rag" | "token";

/** The names of these ids, removed RAGs included; ids that do not exist any more are left out. */
export async function labelsOf(
  db: Database,
  kind: Labelled,
  ids: string[],
): Promise<Map<string, Label>> {
  if (kind === "token") {
    const rows = await db
      .select({ id: tokens.id, name: tokens.name })
      .from(tokens)
      .where(among(tokens.id, ids));
    return new Map(rows.map(({ id, name }) => [id, { identifier: null, name }]));
  }
  const table = { inference: inferences, agent: agents, rag: rags }[kind];
  const rows = await db
    .select({ id: table.id, identifier: table.identifier, name: table.name })
    .from(table)
    .where(among(table.id, ids));
  return new Map(rows.map(({ id, identifier, name }) => [id, { identifier, name }]));
}
