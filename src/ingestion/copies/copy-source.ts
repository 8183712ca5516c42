import { createFileSource } from "../../catalog/file-sources/create-file-source.ts";
import type { FileSource } from "../../catalog/file-sources/find-file-source.ts";
import { updateFileSource } from "../../catalog/file-sources/update-file-source.ts";
import { copyRag } from "../../catalog/rags/copy-rag.ts";
import { showOnlyScopes } from "../../catalog/rags/enforce-scopes.ts";
import { busy, conflict, invalidField, QuarryError, reasonOf } from "../../core/errors.ts";
import { type FileSourceId, MAX_IDENTIFIER_LENGTH } from "../../core/ids.ts";
import { MAX_NAME_LENGTH } from "../../core/input/input-fields.ts";
import type { ScanMessage } from "../../core/queue-messages.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { trimEnd } from "../../core/trim.ts";
import { wholeCharacterEnd } from "../../core/whole-character.ts";
import { splitBySize } from "../../core/work/batches.ts";
import { copyExclusions, findRagsExcluding } from "../../db/catalog/exclusion-store.ts";
import { findRagIds, findRagRecord } from "../../db/catalog/rag-writes.ts";
import {
  differencesOf,
  recordCopyFailure,
  settleCopy,
  takeStalledCopies,
} from "../../db/catalog/source-copy-store.ts";
import { findSourceRow, ragsOfSource } from "../../db/catalog/source-store.ts";
import { findFile } from "../../db/files/file-store.ts";
import type { Services } from "../../services.ts";
import { bytesKey } from "../../sources/file-objects.ts";
import { pushKind } from "../../sources/registry.ts";
import { removePushedFiles } from "../uploads/pushed-files.ts";
import { putFiles } from "../uploads/put-files.ts";

const FILES_PER_STEP = 100;
/** Bytes in memory, and files, that are read at once; a larger file is read alone. */
const READ_AT_ONCE = { total: 8 * 1_024 * 1_024, count: 6 };
/** A step ends by then, or its worker was lost. */
const STALLED_MS = 5 * MINUTE_MS;
const COPIES_PER_SWEEP = 100;
const FIRST_PAGE = { after: "", isChanged: false };
const START = { after: null, isChanged: false };

/** `handbook-acme`, cut to the longest identifier. */
const copyName = (rag: string, source: string) =>
  `${trimEnd(rag.slice(0, Math.max(0, MAX_IDENTIFIER_LENGTH - 1 - source.length)), "-")}-${source}`;
const isUsable = (identifier: string) =>
  !identifier.startsWith("-") && identifier.length <= MAX_IDENTIFIER_LENGTH;

/** `Handbook (Acme)`, cut to the longest name. */
function copyNameOfRag(rag: string, source: string): string {
  const name = `${rag} (${source})`;
  return name.slice(0, wholeCharacterEnd(name, MAX_NAME_LENGTH));
}

/**
 * Creates a source with the settings and secrets of another one. Its RAGs and pushed files follow
 * in the background.
 * @throws QuarryError `conflict`: an identifier is taken, or the source is an unfinished copy
 */
export async function copySource(
  services: Services,
  { source, copy, id }: CopyJob,
): Promise<{ source: FileSource; webhookSecret: string }> {
  if (source.copyOf !== null) throw conflict("The source is a copy that is not complete yet");
  const rags = await ragsOfSource(services.db, source.id);
  const names = rags.map((rag) => copyName(rag, copy.identifier));
  if (new Set(names).size < names.length || names.some((name) => !isUsable(name)))
    throw invalidField("identifier", "is too long to follow the identifiers of the RAGs");
  const conflicts = (await findRagIds(services.db, names)).map(({ identifier }) => identifier);
  if (conflicts.length > 0)
    throw conflict(`Identifiers of RAGs are taken: ${conflicts.join(", ")}`);
  const created = await createFileSource(services, { ...source, ...copy }, id, source);
  await services.queue.scan({ kind: "copy-source", fileSourceId: id, ...START });
  return created;
}

type Source = FileSource["source"];
type CopyJob = {
  source: Source;
  copy: { name: string; identifier: string };
  id: FileSourceId;
};

type Step = Pick<ScanMessage & { kind: "copy-source" }, "fileSourceId" | "after" | "isChanged">;

/**
 * One step of a copy: its RAGs, then a page of files. Rounds over all files follow until one finds
 * the copy equal to its original; what this leaves out of search until then, the copy does at once.
 */
export async function continueCopy(services: Services, step: Step): Promise<void> {
  try {
    await takeStep(services, step);
  } catch (thrown) {
    await recordCopyFailure(services.db, step.fileSourceId, reasonOf(thrown));
    throw thrown;
  }
}

async function takeStep(services: Services, message: Step): Promise<void> {
  const { fileSourceId: id, after } = message;
  const unfinished = await findSourceRow(services.db, id);
  const originalId = unfinished?.source.copyOf ?? null;
  if (unfinished === null || originalId === null) return;
  const copy = await copyPermissions(services, originalId, unfinished);
  if (after === null) await copyRags(services, originalId, copy.source);
  const page = await copyPage(services, { source: copy.source, originalId, after });
  const isChanged = message.isChanged || page.isChanged;
  const next = page.last === undefined ? FIRST_PAGE : { after: page.last.path, isChanged };
  const isEqual = page.last === undefined && !isChanged;
  const isSettled = await settleCopy(services.db, id, isEqual ? null : originalId);
  // A step after the end of a copy does nothing.
  if (!isEqual || !isSettled)
    await services.queue.scan({ kind: "copy-source", fileSourceId: id, ...next });
}

/** Where the original has permissions, its copy has some, too. */
async function copyPermissions(services: Services, originalId: FileSourceId, copy: FileSource) {
  const original = await findSourceRow(services.db, originalId);
  const { permissions = "off", defaultReaders = [] } = original?.source ?? {};
  if (permissions === "off" || copy.source.permissions === "on") return copy;
  const patch = { permissions, defaultReaders };
  return await updateFileSource(services, { source: copy, patch });
}

type Page = { source: Source; originalId: FileSourceId; after: string | null };

/** `last`: files may follow this one. */
async function copyPage(services: Services, { source, originalId, after }: Page) {
  if (pushKind(source.provider) !== "files") return { isChanged: false };
  const at = { id: source.id, originalId, after, limit: FILES_PER_STEP };
  const { files, removals } = await differencesOf(services.db, at);
  if (removals.length > 0) await removePushedFiles(services, { source, paths: removals });
  const isCopied = await copyFiles(services, { files, originalId, source });
  return {
    isChanged: isCopied || removals.length > 0,
    last: files.length === FILES_PER_STEP ? files.at(-1) : undefined,
  };
}

/** And what their search leaves out. Those that an earlier delivery made are there. */
async function copyRags(services: Services, originalId: FileSourceId, source: Source) {
  for (const key of await ragsOfSource(services.db, originalId)) {
    const rag = await findRagRecord(services.db, key);
    if (rag === null) continue;
    const identifier = copyName(rag.identifier, source.identifier);
    const copy = { name: copyNameOfRag(rag.name, source.name), identifier, fileSource: source.id };
    try {
      await copyRag(services, { rag, copy });
    } catch (thrown) {
      if (!(thrown instanceof QuarryError) || thrown.kind !== "conflict") throw thrown;
    }
  }
  // Before the first file, so that it is never found.
  if (await copyExclusions(services.db, originalId))
    for (const ragId of await findRagsExcluding(services.db, source.id))
      await showOnlyScopes(services, ragId);
}

type Files = Awaited<ReturnType<typeof differencesOf>>["files"];

/**
 * Whether any file of the copy is another one now, or has other readers.
 * @throws what storing a file throws; the step is then repeated
 */
async function copyFiles(
  services: Services,
  { files, originalId, source }: { files: Files; originalId: FileSourceId; source: Source },
): Promise<boolean> {
  const contentOf = async ({
    id: fileId,
    version,
    readers,
    size: _size,
    hasOtherReaders: _hasOtherReaders,
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
    for (const some of splitBySize(files, READ_AT_ONCE, ({ size }) => size))
      yield* (await Promise.all(some.map(contentOf))).flat();
  };
  const results = await putFiles(services, { source, files: contents(), isCopied: true });
  for (const { stored: result } of results) if ("thrown" in result) throw result.thrown;
  const paths = new Set(files.flatMap((file) => (file.hasOtherReaders ? [file.path] : [])));
  return results.some(
    ({ path, stored: result }) => paths.has(path) || ("changed" in result && result.changed),
  );
}

/** Null: the default readers of the source. */
const principalsOf = (readers: Files[number]["readers"]) =>
  readers?.every(({ from }) => from === "push") === true
    ? readers.map(({ principal }) => principal)
    : null;

/** Queues steps of copies whose message or worker was lost. */
export async function continueCopies({ db, now, queue }: Services): Promise<void> {
  for (const fileSourceId of await takeStalledCopies(db, now() - STALLED_MS, COPIES_PER_SWEEP)) {
    await queue.scan({ kind: "copy-source", fileSourceId, ...START });
  }
}
