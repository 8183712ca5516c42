import { asId } from "../../core/ids.ts";
import { notFound } from "../../core/errors.ts";
import { deleteToken } from "../../db/access/token-store.ts";
import type { Services } from "../../services.ts";

/** The token stops working at once. @throws QuarryError `not-found`. */
export async function removeToken({ db }: Pick<Services, "db">, input: { id: string }) {
  if (!(await deleteToken(db, asId(input.id)))) throw notFound();
}
