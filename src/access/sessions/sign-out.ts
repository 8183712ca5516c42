import { closeSession } from "../../db/access/session-store.ts";
import type { Services } from "../../services.ts";
import { sessionHashIn } from "./session-cookie.ts";

export async function signOut(
  services: Pick<Services, "db">,
  cookieHeader: string | null,
  secure: boolean,
): Promise<void> {
  const hash = await sessionHashIn(cookieHeader, secure);
  if (hash !== null) await closeSession(services.db, hash);
}
