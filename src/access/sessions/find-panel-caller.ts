import { sha256Hex } from "../../core/hash.ts";
import type { KeyId, UserId } from "../../core/ids.ts";
import { findKeyByHash } from "../../db/access/key-store.ts";
import type { Role } from "../../db/access/user-store.ts";
import { bearerIn } from "../bearer.ts";
import { isWellFormedKey } from "../credential-format.ts";
import { findSession, type FindingSession, type Session } from "./find-session.ts";

export type PanelCaller =
  | { kind: "session"; role: Role; session: Session }
  | { kind: "key"; role: Role; keyId: KeyId; name: string; createdBy: UserId };

/** An `Authorization` header, where present, is the only credential read. */
export async function findPanelCaller(
  services: FindingSession,
  headers: Headers,
  secure: boolean,
): Promise<PanelCaller | null> {
  const authorization = headers.get("Authorization");
  if (authorization === null) {
    const session = await findSession(services, headers.get("Cookie"), secure);
    return session === null ? null : { kind: "session", role: session.role, session };
  }
  const secret = bearerIn(authorization);
  if (secret === null || !isWellFormedKey(secret)) return null;
  const key = await findKeyByHash(services.db, await sha256Hex(secret));
  if (key === null) return null;
  if (key.expiresAt !== null && key.expiresAt <= services.now()) return null;
  return { kind: "key", role: key.role, keyId: key.id, name: key.name, createdBy: key.createdBy };
}
