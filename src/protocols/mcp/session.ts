import type { Credential, PublicRag } from "../../db/access/principal-lookup.ts";
import { forbidden, notFound } from "../../core/errors.ts";
import type { Caller } from "../../http/caller.ts";
import type { Services } from "../../services.ts";

/** One request of a program. */
export type Session = {
  services: Services;
  credential: Credential;
  caller: Caller;
  signal: AbortSignal;
};

/** @throws QuarryError `not-found`, `forbidden` */
export async function coveredRag(session: Session, identifier: string): Promise<PublicRag> {
  const { services, credential } = session;
  const { found } = await services.recentLookups.rag.find(services, credential, identifier);
  if (found === null) throw notFound();
  if (!found.covered) throw forbidden();
  return found.resource;
}
