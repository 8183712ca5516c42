import { sha256Hex } from "../../core/hash.ts";
import { deleteSession } from "../../db/access/session-store.ts";
import type { Services } from "../../services.ts";
import { sessionSecretIn } from "./session-cookie.ts";

/** Ends the session that a `Cookie` header names, if any. */
export async function signOut(services: Pick<Services, "db">, cookieHeader: string | null) {
  const secret = sessionSecretIn(cookieHeader);
  if (secret !== null) await deleteSession(services.db, await sha256Hex(secret));
}
