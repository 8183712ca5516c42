import { notFound } from "../../core/errors.ts";
import type { UserId } from "../../core/ids.ts";
import { deleteSessionById } from "../../db/access/session-store.ts";
import type { Services } from "../../services.ts";

/** Ends a session: any session, or only one of the given user. @throws QuarryError `not-found`. */
export async function endSession(
  { db }: Pick<Services, "db">,
  input: { id: string; userId: UserId | null },
): Promise<void> {
  if (!(await deleteSessionById(db, input.id, input.userId))) throw notFound();
}
