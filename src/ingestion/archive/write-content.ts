import { BYTES_PER_HALF, halfFloats } from "../../core/bytes/half-float.ts";
import { damagedArchive } from "../../core/bytes/zip/read-zip.ts";
import { busy } from "../../core/errors.ts";
import { chunkIdOf, shardOf } from "../../core/hash.ts";
import { asId, newId, type FileId } from "../../core/ids.ts";
import { parseJson } from "../../core/input/parse-json.ts";
import { isObject } from "../../core/is-object.ts";
import { toBatches, splitBySize } from "../../core/work/batches.ts";
import { mapParallel } from "../../core/work/parallel.ts";
import { addWaitingFiles, readWaitingFiles } from "../../db/archive/import-store.ts";
import type { PlannedRag, PlannedSource, WaitingFile } from "../../db/archive/import-store.ts";
import type { FileVersion, PlacedChunk, StagedChunk } from "../../ports/index-versions.ts";
import type { Services } from "../../services.ts";
import { audienceOf } from "../../sources/audiences.ts";
import { problemWithName } from "../../sources/file-names.ts";
import { bytesKey, textKey } from "../../sources/file-objects.ts";
import { pushKind } from "../../sources/registry.ts";
import { factsOf, placeOf, type DescribedFile } from "../indexing/file-work.ts";
import { writeToIndex } from "../indexing/store-chunks.ts";
import { parsePart, linesIn, type ArchiveReader } from "./archive-file.ts";
import { archivedExclusion, archivedFile, archivedPassage } from "./archive-format.ts";
import type { ArchivedFile, ArchivedPassage } from "./archive-format.ts";

/** Sources and RAGs of an import, by the identifiers in the archive. `now`: the revision of its files. */
export type ImportPlan = {
  now: number;
  sources: Record<string, PlannedSource>;
  rags: Record<string, PlannedRag>;
};

export type ImportJob = { id: string; plan: ImportPlan; archive: ArchiveReader };

const FILES_PER_STEP = 250;
/** Bytes in memory, and objects, that are stored at once; a larger object is stored alone. */
const STORED_AT_ONCE = { total: 8 * 1_024 * 1_024, count: 6 };
const CONTENT_ID_LENGTH = 16;
const PENDING = { status: "pending", chunkCount: 0, fingerprint: null, notes: [] } as const;

/** Stores the files of a listing that `files` names; what is stored already stays. */
export async function writeListing(services: Services, job: ImportJob, name: string) {
  const [, identifier = ""] = /^files\/([a-z0-9-]+)/.exec(name) ?? [];
  const source = job.plan.sources[identifier];
  if (source === undefined) throw damagedArchive(`has files of an unknown source: ${name}`);
  const lines = linesIn((await job.archive.bytes(name)) ?? new Uint8Array());
  const at = { importId: job.id, sourceId: source.id };
  for (const batch of toBatches(lines.filter(Boolean), FILES_PER_STEP)) {
    const files = new Map<string, ArchivedFile>();
    const rows = await Promise.all(
      batch.map(async (line): Promise<WaitingFile> => {
        const value = parseJson(line);
        if (isObject(value) && "exclusion" in value) {
          const file = parsePart(archivedExclusion, value["exclusion"], name);
          const path = JSON.stringify([file.kind, file.value]);
          return { path, fileId: asId(""), file, rags: [] };
        }
        const file = parsePart(archivedFile, value, name);
        if (problemWithName(file.path) !== null || files.has(file.path)) {
          throw damagedArchive(`has a damaged part: ${name} (path)`);
        }
        checkPartHash(job.archive, file, { name, part: `files/${identifier}/${file.path}` });
        files.set(file.path, file);
        return await createWaitingFile(services, job.plan, source, file);
      }),
    );
    const waitingFiles = await addWaitingFiles(services.db, at, rows);
    const parts = waitingFiles.flatMap((waiting) => {
      const file = files.get(waiting.path);
      const isFile = file !== undefined && waiting.fileId !== "";
      return isFile ? partsOf(source, `files/${identifier}/${file.path}`, { waiting, file }) : [];
    });
    const sizeOf = ({ part }: StoredPart) => job.archive.sizeOf([part]);
    for (const some of splitBySize(parts, STORED_AT_ONCE, sizeOf)) {
      // All are read first: a damaged archive is given up while none is being stored.
      const contents = await Promise.all(some.map((part) => readContent(job.archive, part)));
      await mapParallel(contents, STORED_AT_ONCE.count, ({ key, content, options }) =>
        services.files.put(key, content, options),
      );
    }
  }
}

/** A listing says how large a file is and its hash, which an upload and a copy rely on. */
function checkPartHash(
  { manifest, sizeOf }: ArchiveReader,
  { size, sha256 }: ArchivedFile,
  { name, part }: { name: string; part: string },
): void {
  const hash = manifest.parts[part];
  if (hash === undefined || (sizeOf([part]) === size && hash === (sha256 ?? hash))) return;
  throw damagedArchive(`has a damaged part: ${name} (sha256 or size of ${part})`);
}

async function createWaitingFile(
  { now: clock }: Services,
  { now, rags: planned }: ImportPlan,
  source: PlannedSource,
  { text: _text, rags, readers, unreadable, ...file }: ArchivedFile,
): Promise<WaitingFile> {
  const isPushed = pushKind(source.row.provider) === "files";
  const contentId = crypto.randomUUID().replaceAll("-", "").slice(0, CONTENT_ID_LENGTH);
  const principals = { principals: readers ?? [] };
  const audience =
    readers === null ? null : await audienceOf(unreadable === null ? principals : { unreadable });
  const row = {
    ...file,
    contentId,
    deletedAt: null,
    version: isPushed ? crypto.randomUUID() : file.version,
    audience: audience?.id ?? null,
    readers: audience?.readers ?? null,
    unreadable: audience?.unreadable ?? null,
    readersRevision: source.replaces ? now : file.readersRevision,
  };
  const indexed = Object.entries(rags).flatMap(([name, { ...state }]) => {
    const rag = planned[name];
    if (rag === undefined) return [];
    const isPending =
      (rag.embeds && state.status === "indexed") || !["indexed", "error"].includes(state.status);
    if (isPending) Object.assign(state, { ...PENDING, claimedUntil: 1 });
    const { id: ragId, generation } = rag;
    const place = { ragId, generation: generation.generation, revision: now };
    return [{ claimedUntil: 0, ...state, ...place, contentId: isPending ? null : contentId }];
  });
  return { path: file.path, fileId: newId<FileId>(clock()), file: row, rags: indexed };
}

type StoredPart = { part: string; key: string; options?: R2PutOptions };

/** Parts of the archive that a file has, its bytes and its text, and where each is stored. */
function partsOf(
  source: PlannedSource,
  part: string,
  { waiting, file: { text } }: { waiting: WaitingFile; file: ArchivedFile },
): StoredPart[] {
  const { version, contentId } = describeFile(waiting);
  const at = { sourceId: source.id, fileId: waiting.fileId };
  const bytes = { part, key: bytesKey(at, version) };
  const parts: StoredPart[] = pushKind(source.row.provider) === "files" ? [bytes] : [];
  if (text === null) return parts;
  const options = { customMetadata: { format: text.format } };
  return [...parts, { part: `texts/${text.sha256}`, key: textKey(at, contentId), options }];
}

async function readContent(archive: ArchiveReader, place: StoredPart) {
  const content = await archive.bytes(place.part);
  if (content === null) throw damagedArchive(`lacks a part: ${place.part}`);
  return { ...place, content };
}

/** The columns that `createWaitingFile` wrote. */
const describeFile = ({ file, fileId }: WaitingFile) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written above
  ({ ...file, fileId }) as DescribedFile & { version: string; contentId: string };

/** Places of a file's passages that earlier parts had; its version is not complete yet. */
export type OpenVersions = Map<string, PlacedChunk[]>;

const LACKING: PlacedChunk[] = [
  { id: asId(""), position: 0, headings: [], languages: "", page: null, start: 0, end: 0 },
];

/** Writes passages and vectors into the new index; a file is live in it once all of its are. */
export async function writePassages(
  services: Services,
  job: ImportJob,
  { name, open }: { name: string; open: OpenVersions },
): Promise<void> {
  const [, identifier = ""] = /^rags\/([a-z0-9-]+)/.exec(name) ?? [];
  const rag = job.plan.rags[identifier];
  if (rag === undefined) throw damagedArchive(`has passages of an unknown RAG: ${name}`);
  const lines = linesIn((await job.archive.bytes(name)) ?? new Uint8Array()).filter(Boolean);
  const passages = lines.map((line) => parsePart(archivedPassage, parseJson(line), name));
  const vectors = await job.archive.bytes(
    name.replace("passages", "vectors").replace("jsonl", "f16"),
  );
  const byPath = Map.groupBy(passages, ({ path }) => path);
  const at = { importId: job.id, sourceId: rag.sourceId };
  const versions: FileVersion[] = [];
  for (const waiting of await readWaitingFiles(services.db, at, [...byPath.keys()])) {
    const row = waiting.rags.find(({ ragId }) => ragId === rag.id);
    const own = byPath.get(waiting.path) ?? [];
    if (row?.["status"] !== "indexed") continue;
    const staged = await Promise.all(
      own.map((passage) => stageChunk(passage, { rag, fileId: waiting.fileId, vectors, name })),
    );
    const chunks = [...(open.get(waiting.path) ?? []), ...staged.map(placeOf)];
    if (chunks.length < Number(row["chunkCount"])) open.set(waiting.path, chunks);
    else open.delete(waiting.path);
    const isOpen = open.has(waiting.path);
    const version = { file: factsOf(describeFile(waiting)), revision: job.plan.now, staged };
    // A version that lacks a chunk is stored, and not live yet.
    versions.push({ ...version, chunks: isOpen ? LACKING : chunks });
  }
  await writeVersions(services, rag, versions);
}

type StoredFile = { rag: PlannedRag; fileId: FileId; vectors: Uint8Array | null; name: string };

async function stageChunk(
  { hash: duplicateKey, row, isNamed, recognised, ...passage }: ArchivedPassage,
  { rag, fileId, vectors, name }: StoredFile,
): Promise<StagedChunk & PlacedChunk> {
  const { generation, dimensions } = rag.generation;
  const { text: embeddedText, position: occurrence } = passage;
  const id = await chunkIdOf({ ragId: rag.id, generation, fileId, embeddedText, occurrence });
  const bytes = dimensions * BYTES_PER_HALF;
  const vector = vectors?.slice((row ?? 0) * bytes, ((row ?? 0) + 1) * bytes);
  if (row === undefined || vector?.length !== bytes) {
    throw damagedArchive(`lacks vectors: ${name}`);
  }
  if (!halfFloats(vector).every(Number.isFinite))
    throw damagedArchive(`has wrong vectors: ${name}`);
  const marks = { ...(isNamed && { isNamed }), ...(recognised && { recognised }) };
  return { ...passage, ...marks, id, duplicateKey, vector };
}

/** Passages that one call writes, about a part's: nobody searches their index yet. */
const PASSAGES_PER_CALL = 512;

async function writeVersions(services: Services, rag: PlannedRag, versions: FileVersion[]) {
  const { generation, shards = 1, vectorsIn = "object" } = rag.generation;
  const sizeOf = ({ staged }: FileVersion) => staged.length;
  for (const [shard, all] of Map.groupBy(versions, ({ file }) => shardOf(file.fileId, shards))) {
    const address = { ragId: rag.id, generation, shard, vectorsIn };
    for (const some of splitBySize(all, { total: PASSAGES_PER_CALL }, sizeOf)) {
      for (const { outcome } of await writeToIndex(services, address, some)) {
        if (outcome === "full") throw busy("The vector index takes no more at the moment");
        if (outcome === "superseded") throw damagedArchive("has a file twice");
      }
    }
  }
}
