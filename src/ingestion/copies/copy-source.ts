import { copyRag } from "../../catalog/rags/copy-rag.ts";
import { showOnlyScopes } from "../../catalog/rags/enforce-scopes.ts";
import { createFileSource } from "../../catalog/file-sources/create-file-source.ts";
import type { FileSource } from "../../catalog/file-sources/find-file-source.ts";
import { busy, conflict, invalidField, QuarryError } from "../../core/errors.ts";
import { type FileSourceId, MAX_IDENTIFIER_LENGTH } from "../../core/ids.ts";
import { MAX_NAME_LENGTH } from "../../core/input/input-fields.ts";
import { wholeCharacterEnd } from "../../core/whole-character.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { trimEnd } from "../../core/trim.ts";
import { inBatchesBySize } from "../../core/work/batches.ts";
import { findRagIds, findRagRecord } from "../../db/catalog/rag-writes.ts";
import {
  copyExclusions,
  filesBehind,
  takeStalledCopies,
} from "../../db/catalog/source-copy-store.ts";
import { findSourceRow, ragsOfSource, updateSourceRow } from "../../db/catalog/source-store.ts";
import { findFile } from "../../db/files/file-store.ts";
import type { Services } from "../../services.ts";
import { bytesKey } from "../../sources/file-objects.ts";
import { takenBy } from "../../sources/registry.ts";
import { putFiles } from "../uploads/put-files.ts";

const FILES_PER_STEP = 100;
/** Bytes in memory, and files, that are read at once; a larger file is read alone. */
const READ_AT_ONCE = { total: 8 * 1_024 * 1_024, count: 6 };
/** A step ends by then, or its worker was lost. */
const STALLED_MS = 5 * MINUTE_MS;
const COPIES_PER_SWEEP = 100;

/** `handbook-acme`, cut to the longest identifier. */
const copyName = (rag: string, source: string) =>
  `${trimEnd(rag.slice(0, Math.max(0, MAX_IDENTIFIER_LENGTH - 1 - source.length)), "-")}-${source}`;
const fits = (identifier: string) =>
  !identifier.startsWith("-") && identifier.length <= MAX_IDENTIFIER_LENGTH;

/** `Handbook (Acme)`, cut to the longest name. */
function copiedName(rag: string, source: string): string {
  const name = `${rag} (${source})`;
  return name.slice(0, wholeCharacterEnd(name, MAX_NAME_LENGTH));
}

/**
 * Creates a source with the settings and secrets of another one. Its RAGs and pushed files follow
 * in the background.
 * @throws QuarryError `conflict`: an identifier is taken
 */
export async function copySource(
  services: Services,
  { source, copy, id }: Copying,
): Promise<{ source: FileSource; webhookSecret: string }> {
  const rags = await ragsOfSource(services.db, source.id);
  const names = rags.map((rag) => copyName(rag, copy.identifier));
  if (new Set(names).size < names.length || names.some((name) => !fits(name)))
    throw invalidField("identifier", "is too long to follow the identifiers of the RAGs");
  const conflicts = (await findRagIds(services.db, names)).map(({ identifier }) => identifier);
  if (conflicts.length > 0)
    throw conflict(`Identifiers of RAGs are taken: ${conflicts.join(", ")}`);
  const created = await createFileSource(services, { ...source, ...copy }, id, source);
  await services.queue.scan({ kind: "copy-source", fileSourceId: id, after: null });
  return created;
}

type Source = FileSource["source"];
type Copying = {
  source: Source;
  copy: { name: string; identifier: string };
  id: FileSourceId;
};

/** One step of a copy: its RAGs, then a page of the files behind a path. */
export async function continueCopy(
  services: Services,
  { fileSourceId: id, after }: { fileSourceId: FileSourceId; after: string | null },
): Promise<void> {
  const { db, queue } = services;
  const copy = await findSourceRow(db, id);
  const originalId = copy?.source.copyOf ?? null;
  if (copy === null || originalId === null) return;
  if (after === null) {
    // Before the first file: what is left out of search is never found.
    const isExcluding = await copyExclusions(db, { id, originalId, isWhole: false });
    await copyRags(services, originalId, copy.source);
    if (isExcluding) await hideExcluded(services, id);
  }
  const isPushed = takenBy(copy.source.provider) === "files";
  const files = isPushed ? await filesBehind(db, originalId, after ?? "", FILES_PER_STEP) : [];
  await copyFiles(services, { files, originalId, source: copy.source });
  const last = files.length === FILES_PER_STEP ? files.at(-1) : undefined;
  if (last !== undefined) {
    await updateSourceRow(db, id, { copyOf: originalId });
    return await queue.scan({ kind: "copy-source", fileSourceId: id, after: last.path });
  }
  if (!(await copyExclusions(db, { id, originalId, isWhole: true }))) return;
  await hideExcluded(services, id);
  await updateSourceRow(db, id, { copyOf: null });
}

async function hideExcluded(services: Services, id: FileSourceId): Promise<void> {
  const names = await ragsOfSource(services.db, id);
  for (const rag of await findRagIds(services.db, names)) await showOnlyScopes(services, rag.id);
}

/** Those that an earlier delivery made are there. */
async function copyRags(services: Services, originalId: FileSourceId, source: Source) {
  for (const key of await ragsOfSource(services.db, originalId)) {
    const rag = await findRagRecord(services.db, key);
    if (rag === null) continue;
    const identifier = copyName(rag.identifier, source.identifier);
    const copy = { name: copiedName(rag.name, source.name), identifier, fileSource: source.id };
    try {
      await copyRag(services, { rag, copy });
    } catch (thrown) {
      if (!(thrown instanceof QuarryError) || thrown.kind !== "conflict") throw thrown;
    }
  }
}

type Files = Awaited<ReturnType<typeof filesBehind>>;

/** Equal bytes change nothing. @throws what storing a file throws; the step is then repeated */
async function copyFiles(
  services: Services,
  { files, originalId, source }: { files: Files; originalId: FileSourceId; source: Source },
): Promise<void> {
  const contentOf = async ({
    id: fileId,
    version,
    readers,
    size: _size,
    ...file
  }: Files[number]) => {
    const object = await services.files.get(bytesKey({ sourceId: originalId, fileId }, version));
    if (object === null) {
      const current = await findFile(services.db, originalId, file.path);
      if (current?.deletedAt !== null || current.version === version) return [];
      throw busy("A file was replaced while it was copied");
    }
    const bytes = new Uint8Array(await object.arrayBuffer());
    return [{ ...file, bytes, readers: principalsOf(readers) }];
  };
  const contents = async function* () {
    for (const some of inBatchesBySize(files, READ_AT_ONCE, ({ size }) => size))
      yield* (await Promise.all(some.map(contentOf))).flat();
  };
  for (const { stored: result } of await putFiles(services, { source, files: contents() })) {
    if ("thrown" in result) throw result.thrown;
  }
}

/** Null: the default readers of the source. */
const principalsOf = (readers: Files[number]["readers"]) =>
  readers?.every(({ from }) => from === "push") === true
    ? readers.map(({ principal }) => principal)
    : null;

/** Queues steps of copies whose message or worker was lost. */
export async function continueCopies({ db, now, queue }: Services): Promise<void> {
  for (const fileSourceId of await takeStalledCopies(db, now() - STALLED_MS, COPIES_PER_SWEEP)) {
    await queue.scan({ kind: "copy-source", fileSourceId, after: null });
  }
}
