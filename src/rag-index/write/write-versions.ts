import { folderOf } from "../../core/folders.ts";
import { type ChunkId, vectorIdOf } from "../../core/ids.ts";
import type {
  FileVersion,
  PlacedChunk,
  StagedChunk,
  WrittenVersion,
} from "../../ports/index-versions.ts";
import { rowsOf, addToTotals, insertContents, type Row } from "../tables.ts";
import { storeCodesIfLarge } from "../vectors/stored-codes.ts";
import { activateVersion, makeLive } from "./activate-version.ts";
import { liveKeys, updateDuplicates } from "./duplicates.ts";
import { addFile, findFile } from "./files.ts";
import { placeValues } from "./places.ts";
import { stage } from "./staging.ts";
import type { Verb, WriteContext } from "./write-context.ts";

/** One after the other in one transaction; a file that waits for room in flight is only staged. */
export const writeVersions: Verb<"writeVersions"> = (context, versions, batch) => {
  return versions.map((version) => {
    const newFile = batch === undefined ? writeNewFile(context, version) : null;
    if (newFile !== null) return newFile;
    const { file, revision, staged, chunks } = version;
    const upsert = batch === undefined ? undefined : { ...batch, folder: folderOf(file.path) };
    const chunksStored = stage(context, file.fileId, revision, staged, upsert);
    return { stored: chunksStored, activation: activateVersion(context, file, revision, chunks) };
  });
};

/** A chunk of a version that is stored and live in one step. */
type Whole = StagedChunk & { place: PlacedChunk; isDuplicate: boolean };
type AddedContent = Whole & { chunk: number };

/** Writes each row once (staging and activating: twice); null if known, or a chunk is missing. */
function writeNewFile(
  context: WriteContext,
  { file: facts, revision, staged, chunks }: FileVersion,
): WrittenVersion | null {
  const { sql, change, unindexed } = context;
  const places = new Map(chunks.map((chunk) => [chunk.id, chunk]));
  const isWhole = places.size === staged.length && chunks.length === staged.length;
  if (!isWhole || findFile(sql, facts.fileId) !== null) return null;
  const whole = wholeChunks(sql, staged, places);
  if (whole === null) return null;
  const file = addFile(sql, facts.fileId);
  let added: AddedContent[] = [];
  const add = () => (added = addLive(sql, { file: file.file, revision }, whole));
  const numbers = staged.flatMap(({ number }) => number ?? []);
  const keys = staged.map(({ duplicateKey }) => duplicateKey);
  // The numbers of a copy decide which of equal chunks is the original, not the order of writing.
  if (numbers.length > 0 && whole.some(({ isDuplicate }) => isDuplicate)) {
    for (const chunk of whole) chunk.isDuplicate = false;
    change.marks.push(...updateDuplicates(sql, { keys, entering: numbers }, add));
  } else add();
  storeCodesIfLarge(sql, added);
  addToTotals(sql, { chunks: added.length });
  makeLive(context, file, facts, { revision, chunkCount: added.length });
  for (const { chunk, isDuplicate, text, place } of added) {
    // Words are deleted by the text as it is read: stored, it has no half characters.
    const { headings, languages } = place;
    const content = { headings, languages, text: text.toWellFormed() };
    unindexed.push({ chunk, written: content });
    change.entered.push(chunk);
    if (isDuplicate) change.marks.push({ chunk, duplicate: true });
  }
  return {
    stored: added.map(({ id, chunk }) => ({ id, vectorId: vectorIdOf(id, chunk) })),
    activation: { outcome: "activated", chunkCount: added.length },
  };
}

/** The original of equal chunks is the one inserted first, of this file or of another. */
function wholeChunks(
  sql: SqlStorage,
  staged: StagedChunk[],
  places: ReadonlyMap<ChunkId, PlacedChunk>,
): Whole[] | null {
  const keys = staged.map(({ duplicateKey }) => duplicateKey);
  const liveKeySet = liveKeys(sql, keys);
  const whole: Whole[] = [];
  const ids = new Set<ChunkId>();
  for (const chunk of staged) {
    const place = places.get(chunk.id);
    if (place === undefined || ids.has(chunk.id)) return null;
    ids.add(chunk.id);
    whole.push({ ...chunk, place, isDuplicate: liveKeySet.has(chunk.duplicateKey) });
    liveKeySet.add(chunk.duplicateKey);
  }
  return whole;
}

/** @throws when an id is stored already, which names its file: the write is undone */
function addLive(
  sql: SqlStorage,
  { file, revision }: { file: number; revision: number },
  whole: Whole[],
): AddedContent[] {
  const rows = rowsOf<Row<"chunks", "chunk" | "id">>(sql)`
    INSERT INTO chunks (id, file, live, revision, duplicate, duplicate_key, position, headings,
      languages, page, start_at, end_at, recognised, is_named, chunk)
    SELECT value ->> 0, ${file}, 1, ${revision}, value ->> 1, value ->> 2, value ->> 3,
      value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8, value ->> 9,
      value ->> 10, value ->> 11
    FROM json_each(${whole.map(rowOf)}) RETURNING chunk, id`;
  const numbers = new Map(rows.map(({ id, chunk }) => [id, chunk]));
  const added = whole.flatMap((entry) => {
    const chunk = numbers.get(entry.id);
    return chunk === undefined ? [] : [{ ...entry, chunk }];
  });
  insertContents(sql, added);
  return added;
}

const rowOf = ({ id, isDuplicate, duplicateKey, place, number }: Whole) => [
  id,
  isDuplicate ? 1 : 0,
  duplicateKey,
  ...placeValues(place),
  number ?? null,
];
