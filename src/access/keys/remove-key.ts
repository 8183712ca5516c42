import { asId } from "../../core/ids.ts";
import { notFound } from "../../core/errors.ts";
import { deleteKey } from "../../db/access/key-store.ts";
import type { Services } from "../../services.ts";

/** The key stops working at once. @throws QuarryError `not-found`. */
export async function removeKey({ db }: Pick<Services, "db">, input: { id: string }) {
  if (!(await deleteKey(db, asId(input.id)))) throw notFound();
}
