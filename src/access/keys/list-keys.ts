import { listKeyRows } from "../../db/access/key-store.ts";
import type { Services } from "../../services.ts";
import type { AutomationKey } from "./create-key.ts";

/** A page of the automation keys in order of name. */
export async function listKeys(
  { db }: Pick<Services, "db">,
  input: { offset: number; limit: number },
): Promise<{ data: (AutomationKey & { createdByEmail: string })[]; total: number }> {
  const { data, total } = await listKeyRows(db, input.offset, input.limit);
  const shown = ({ key: { hash: _hidden, ...key }, email }: (typeof data)[number]) =>
    Object.assign(key, { createdByEmail: email });
  return { data: data.map(shown), total };
}
