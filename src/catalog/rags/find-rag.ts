import { requireFound } from "../../core/errors.ts";
import { scopesOfAll } from "../../db/catalog/rag-scope-store.ts";
import { findRagRecord, listRagRecords } from "../../db/catalog/rag-writes.ts";
import type { RagRecord } from "../../db/records.ts";
import type { IndexScope } from "../../ports/rag-index.ts";
import type { Services } from "../../services.ts";

/** By id or identifier. @throws QuarryError `not-found`. */
export async function findRag({ db }: Pick<Services, "db">, input: { key: string }) {
  return requireFound(await findRagRecord(db, input.key));
}

export type ScopedRag = { rag: RagRecord; scopes: IndexScope[] };

/** A page of the RAGs in order of identifier, with their scopes. */
export async function listRags(
  { db }: Pick<Services, "db">,
  input: { offset: number; limit: number },
): Promise<{ data: ScopedRag[]; total: number }> {
  const { data, total } = await listRagRecords(db, input);
  const scopes = await scopesOfAll(
    db,
    data.map(({ id }) => id),
  );
  return { data: data.map((rag) => ({ rag, scopes: scopes.get(rag.id) ?? [] })), total };
}
