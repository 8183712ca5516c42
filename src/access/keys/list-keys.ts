import { listKeyRows } from "../../db/access/key-store.ts";
import type { Services } from "../../services.ts";
import type { AutomationKey } from "./create-key.ts";

/** A page of the automation keys in order of name. */
export async function listKeys(
  { db }: Pick<Services, "db">,
  input: { offset: number; limit: number },
): Promise<{ data: AutomationKey[]; total: number }> {
  const { data, total } = await listKeyRows(db, input.offset, input.limit);
  return { data: data.map(({ hash: _hidden, ...key }) => key), total };
}
