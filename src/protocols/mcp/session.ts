import { forbidden, notFound } from "../../core/errors.ts";
import type { Credential, PublicRag } from "../../db/access/principal-lookup.ts";
import { listCoveredRags } from "../../db/access/public-lists.ts";
import type { Caller } from "../../http/caller.ts";
import { ragsForReader } from "../../http/rags-for-reader.ts";
import type { Services } from "../../services.ts";

export type Session = {
  services: Services;
  credential: Credential;
  caller: Caller;
  signal: AbortSignal;
};

/** @throws QuarryError `not-found`, `forbidden` */
export async function coveredRag(session: Session, identifier: string): Promise<PublicRag> {
  const { services, credential, caller } = session;
  const { found } = await services.recentLookups.rag.find(services, credential, identifier);
  if (found === null) throw notFound();
  if (!found.covered) throw forbidden();
  const [rag] = await ragsForReader(services, caller, [found.resource]);
  if (rag === undefined) throw notFound();
  return rag;
}

/** All that the token covers, as the caller reads them. */
export async function coveredRags({ services, credential, caller }: Session) {
  const { rags } = await listCoveredRags(services.reads, credential);
  return await ragsForReader(services, caller, rags);
}
