import { joinBytes } from "../../core/bytes/join-bytes.ts";
import { MANIFEST } from "../../core/bytes/zip/format.ts";
import type { ZipInput } from "../../core/bytes/zip/write-zip.ts";
import { sha256Hex, shardOf } from "../../core/hash.ts";
import type { FileId } from "../../core/ids.ts";
import { isoTime } from "../../core/time.ts";
import { toBatches } from "../../core/work/batches.ts";
import { listExportedExclusions, readExportedFiles } from "../../db/archive/export-store.ts";
import type { ExportedFile, ExportedRag, ExportedSource } from "../../db/archive/export-store.ts";
import type { StoredVersion, VersionCursor } from "../../ports/index-versions.ts";
import type { Services } from "../../services.ts";
import { bytesKey, textKey } from "../../sources/file-objects.ts";
import { pushKind } from "../../sources/registry.ts";
import { needsExtractedText } from "../indexing/extracted-texts.ts";
import { ARCHIVE_FORMAT, archivedFile, archivedRag, SETTINGS } from "./archive-format.ts";
import type { ArchivedRag, Manifest } from "./archive-format.ts";

type ExportServices = Pick<Services, "db" | "files" | "ragIndexes" | "now">;
type Source = ExportedSource & { rags: ExportedRag[] };

/** `partPerFile`: passages of each file are parts of their own, so that a change renews few. */
export type ExportWish = {
  sources: Source[];
  settings: object;
  /** Parts that follow the settings. */
  more: Iterable<ZipInput> | AsyncIterable<ZipInput>;
  vectors: boolean;
  partPerFile: boolean;
  version: string;
};

const FILES_PER_PAGE = 100;
/** A part is closed when it has so many bytes; what is added at once has at most 4 MiB. */
const PART_BYTES = 2 * 1_024 * 1_024;
/** An import writes all files of a listing within one lease: these are some hundred. */
const LISTING_BYTES = 256 * 1_024;
/** Files whose bytes were replaced before they were read are looked up again so many times. */
const TRIES = 3;

const encoder = new TextEncoder();
const jsonBytes = (value: object) => encoder.encode(JSON.stringify(value));

/**
 * The parts of an archive, one after the other. Each file is exported with the passages of exactly
 * its version: one that changes meanwhile is `pending` in the archive, or absent when it is gone.
 */
export async function* exportContent(
  services: ExportServices,
  wish: ExportWish,
): AsyncGenerator<ZipInput> {
  const { version, sources, settings, more } = wish;
  const facts = { format: ARCHIVE_FORMAT, createdAt: isoTime(services.now()), version };
  const manifest: Manifest = { ...facts, fileSources: {}, rags: {}, parts: {} };
  const texts = new Set<string>();
  const parts = async function* () {
    yield { name: SETTINGS, content: jsonBytes(settings) };
    yield* more;
    for (const source of sources) {
      yield* new SourceExport(services, source, { wish, manifest, texts }).parts();
    }
  };
  for await (const { name, content } of parts()) {
    manifest.parts[name] = await sha256Hex(content);
    yield { name, content };
  }
  yield { name: MANIFEST, content: jsonBytes(manifest) };
}

/** Lines of a part that is not closed yet, and the vectors of its passages. */
class OpenPart {
  readonly #name: (number: number) => string;
  #number = 0;
  #lines: Uint8Array[] = [];
  #vectors: Uint8Array[] = [];
  size = 0;

  constructor(name: (number: number) => string) {
    this.#name = name;
  }

  add(fields: object, vector?: Uint8Array): void {
    const line = vector === undefined ? fields : { ...fields, row: this.#vectors.length };
    const bytes = encoder.encode(`${JSON.stringify(line)}\n`);
    this.#lines.push(bytes);
    if (vector !== undefined) this.#vectors.push(vector);
    this.size += bytes.length + (vector?.length ?? 0);
  }

  *close(): Generator<ZipInput> {
    const [lines, vectors] = [this.#lines, this.#vectors];
    [this.#lines, this.#vectors, this.size] = [[], [], 0];
    if (lines.length === 0) return;
    const name = this.#name(++this.#number);
    yield { name, content: joinBytes(lines) };
    const vectorsName = name.replace(/passages(-\d+)\.jsonl$/, "vectors$1.f16");
    if (vectors.length > 0) yield { name: vectorsName, content: joinBytes(vectors) };
  }
}

type Job = { wish: ExportWish; manifest: Manifest; texts: Set<string> };
type IndexExport = { rag: ExportedRag; part: OpenPart; counts: ArchivedRag };

class SourceExport {
  readonly #services: ExportServices;
  readonly #source: Source;
  readonly #job: Job;
  readonly #counts = { files: 0 };
  readonly #indexes: IndexExport[];
  readonly #listing: OpenPart;
  #late: string[] = [];

  constructor(services: ExportServices, source: Source, job: Job) {
    [this.#services, this.#source, this.#job] = [services, source, job];
    const { identifier: fileSource, rags } = source;
    const { manifest, wish } = job;
    manifest.fileSources[fileSource] = this.#counts;
    this.#listing = new OpenPart((n) => `files/${fileSource}${n === 1 ? "" : `.${n}`}.jsonl`);
    this.#indexes = rags.map((rag) => {
      const part = new OpenPart((n) => `rags/${rag.identifier}/passages-${n}.jsonl`);
      const { vectors } = wish;
      const counts = archivedRag.parse({ ...rag, fileSource, files: 0, passages: 0, vectors });
      manifest.rags[rag.identifier] = counts;
      return { rag, part, counts };
    });
  }

  async *parts(): AsyncGenerator<ZipInput> {
    for (let after: string | undefined = ""; after !== undefined;) {
      const rows: ExportedFile[] = await this.#read({ after, only: null });
      yield* this.#exportPage(rows);
      after = rows.at(-1)?.path;
    }
    for (let tries = 0; tries < TRIES; tries++) {
      for (const only of toBatches(this.#late.splice(0), FILES_PER_PAGE)) {
        yield* this.#exportPage(await this.#read({ after: "", only }));
      }
    }
    const { db } = this.#services;
    for (const exclusion of await listExportedExclusions(db, this.#source.id)) {
      yield* this.#list({ exclusion });
    }
    yield* this.#listing.close();
    for (const { part } of this.#indexes) yield* part.close();
  }

  #read(page: { after: string; only: string[] | null }): Promise<ExportedFile[]> {
    const source = { id: this.#source.id, ragIds: this.#source.rags.map(({ id }) => id) };
    return readExportedFiles(this.#services.db, source, { ...page, limit: FILES_PER_PAGE });
  }

  async *#exportPage(rows: ExportedFile[]): AsyncGenerator<ZipInput> {
    const files: (ExportedFile & { text: object | null })[] = [];
    for (const row of rows) {
      const text = yield* this.#exportStored(row);
      if (text === undefined) this.#late.push(row.path);
      else files.push({ ...row, text });
    }
    for (const index of this.#indexes) yield* this.#exportPassages(index, files);
    const names = new Map<string, string>(this.#indexes.map(({ rag }) => [rag.id, rag.identifier]));
    for (const { rags, readersOf, ...file } of files) {
      const ofRags = rags.map(({ id, ...row }) => [names.get(id), row]);
      const readers = readersOf ?? { readers: null, unreadable: null };
      yield* this.#list(
        archivedFile.parse({ ...file, ...readers, rags: Object.fromEntries(ofRags) }),
      );
    }
    this.#counts.files += files.length;
  }

  *#list(line: object): Generator<ZipInput> {
    this.#listing.add(line);
    if (this.#listing.size >= LISTING_BYTES) yield* this.#listing.close();
  }

  /** The bytes and the text; returns the name of the text. Undefined: the bytes were replaced. */
  async *#exportStored(file: ExportedFile) {
    const { identifier, id: sourceId, provider } = this.#source;
    const { texts } = this.#job;
    const { files: bucket } = this.#services;
    const at = { sourceId, fileId: file.id };
    if (pushKind(provider) === "files") {
      const bytes = await bucket.get(bytesKey(at, file.version));
      if (bytes === null) return undefined;
      yield { name: `files/${identifier}/${file.path}`, content: await contentOf(bytes) };
    }
    if (!needsExtractedText({ ...file, source: { provider } })) return null;
    const object = await bucket.get(textKey(at, file.contentId));
    if (object === null) return null;
    const content = await contentOf(object);
    const sha256 = await sha256Hex(content);
    if (!texts.has(sha256)) yield { name: `texts/${sha256}`, content };
    texts.add(sha256);
    return { sha256, format: object.customMetadata?.["format"] ?? "" };
  }

  /** A file is changing now if the index has another version than its row, or is another one. */
  async *#exportPassages({ rag, part, counts }: IndexExport, files: ExportedFile[]) {
    const open = new Map(files.flatMap((file) => indexedRows(file, rag)));
    const shards = Map.groupBy(open.keys(), (fileId) => shardOf(fileId, rag.shards));
    counts.files += open.size;
    for await (const { version, isLast, shard } of this.#versions(rag, shards)) {
      const { path = "", row } = open.get(version.fileId) ?? {};
      if (!isCurrentVersion(row, rag, version)) continue;
      if (isLast) open.delete(version.fileId);
      counts.passages += version.chunks.length;
      for (const { duplicateKey: hash, vector, number, ...chunk } of version.chunks) {
        // Unique over all shards, and in the order of each.
        const line = { path, ...chunk, hash, number: number * rag.shards + shard };
        part.add(line, counts.vectors ? vector : undefined);
      }
      if (this.#job.wish.partPerFile || part.size >= PART_BYTES) yield* part.close();
    }
    counts.files -= open.size;
    for (const { row } of open.values()) {
      Object.assign(row, { status: "pending", chunkCount: 0, fingerprint: null, notes: [] });
    }
  }

  async *#versions({ id: ragId, generation }: ExportedRag, shards: Map<number, FileId[]>) {
    for (const [shard, fileIds] of shards) {
      const index = this.#services.ragIndexes({ ragId, generation, shard });
      for (let cursor: VersionCursor | null = { fileIds, from: 0 }; cursor !== null;) {
        const { versions, next }: Awaited<ReturnType<typeof index.readVersions>> =
          await index.readVersions(cursor);
        for (const version of versions) {
          yield { version, shard, isLast: next?.fileIds[0] !== version.fileId };
        }
        cursor = next;
      }
    }
  }
}

/** The rows of a file in a RAG: one if it is indexed there, else none. */
const indexedRows = ({ id, path, rags }: ExportedFile, rag: ExportedRag) =>
  rags
    .filter((row) => row.id === rag.id && row.status === "indexed")
    .map((row) => [id, { path, row }] as const);

/** Whether the version that an index has is the one of the row. */
const isCurrentVersion = (
  row: ExportedFile["rags"][number] | undefined,
  { generation }: ExportedRag,
  { revision }: StoredVersion,
) => row?.revision === revision && row.generation === generation;

const contentOf = async (object: R2ObjectBody) => new Uint8Array(await object.arrayBuffer());
