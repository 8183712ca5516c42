import { recordRepeatedEvent } from "../access/audit/record-event.ts";
import { resolveReaders, readerName } from "../access/readers.ts";
import type { ListedRag } from "../db/records.ts";
import type { Services } from "../services.ts";
import type { Caller } from "./caller.ts";

/**
 * RAGs as the caller may read them. Where permissions are on, the log and the audit trail record the
 * reader, and nothing of the question.
 * @throws QuarryError `invalid`, `forbidden`
 */
export async function ragsForReader<Rag extends ListedRag>(
  services: Pick<Services, "reads" | "db" | "log" | "now" | "runInBackground">,
  { actor, reading }: Pick<Caller, "actor" | "reading">,
  rags: Rag[],
): Promise<Rag[]> {
  const readers = await resolveReaders(services.reads, reading, rags);
  const permitted = readers.filter(({ readersSince }) => readersSince !== null);
  const reader = permitted.length === 0 ? null : readerName(reading);
  if (reader === null) return readers;
  services.log.info("read for", { reader });
  services.log.note?.({ reader });
  for (const { identifier } of permitted) {
    const target = `${identifier} for ${reader}`;
    const event = { actor, action: "rags.read", target, status: 200 } as const;
    services.runInBackground(recordRepeatedEvent(services, event));
  }
  return readers;
}
