import { notFound } from "../../core/errors.ts";
import { findAgentRecord } from "../../db/catalog/runner-store.ts";
import type { AgentRecord } from "../../db/records.ts";
import type { Services } from "../../services.ts";

/** By id or identifier. @throws QuarryError `not-found`. */
export async function findAgent({ db }: Pick<Services, "db">, input: { key: string }) {
  const found: AgentRecord | null = await findAgentRecord(db, input.key);
  if (found === null) throw notFound();
  return found;
}
