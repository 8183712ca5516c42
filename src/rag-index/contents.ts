import { writtenHeadings, type StoredChunk, type StoredVersion } from "../ports/index-versions.ts";
import type { Passage, RagIndex } from "../ports/rag-index.ts";
import { marksOf, rowsOf, stringsIn, valueOf, readTotals, type Row } from "./tables.ts";
import type { Verb } from "./write/write-context.ts";

type ListedFiles = Awaited<ReturnType<RagIndex["listFiles"]>>;

export const facts: Verb<"facts"> = ({ sql }) => {
  const { chunks, files, staged, tombstones } = readTotals(sql);
  return { chunks, files, staged, tombstones };
};

/** Files with a live version in order of id, hidden ones included. */
export const listFiles: Verb<"listFiles"> = ({ sql }, after, limit) =>
  rowsOf<ListedFiles[number]>(sql)`SELECT id AS fileId, revision, chunk_count AS chunkCount
    FROM files WHERE id > ${after ?? ""} AND state = 'live' ORDER BY id LIMIT ${limit}`;

/** Live chunks at equal distances; the cost does not depend on their number. */
export const sample: Verb<"sample"> = ({ sql }, count) => {
  const steps = Array.from({ length: count }, (_, at) => at);
  const rows = rowsOf<Row<"contents", "text" | "vector"> & Row<"chunks", "headings">>(sql)`
    SELECT t.text, t.vector, c.headings FROM chunks c JOIN contents t ON t.chunk = c.chunk
    WHERE c.live = 1 AND c.chunk IN (
      SELECT (SELECT n.chunk FROM chunks n
        WHERE n.chunk >= ends.low + step.value * ends.width / ${count} ORDER BY n.chunk LIMIT 1)
      FROM (SELECT min(chunk) AS low, max(chunk) - min(chunk) AS width FROM chunks) ends,
        json_each(${steps}) step)`;
  return rows.map(({ text, vector, headings }) => {
    return { text, vector: new Uint8Array(vector), headings: stringsIn(headings) };
  });
};

type PassageRow = Omit<
  Passage,
  "headings" | "isDuplicate" | "isExcluded" | "isNamed" | "recognised"
> &
  Row<"chunks", "headings" | "duplicate" | "is_named" | "recognised"> & { excluded: number };

/** Only the page's texts are read; its place is looked for among the chunks of this one file. */
export const passages: Verb<"passages"> = ({ sql }, fileId, { from, limit }) => {
  const rows = rowsOf<PassageRow>(sql)`SELECT c.id, t.text, c.position, c.headings, c.page,
      c.start_at AS start, c.end_at AS end, c.duplicate, c.is_named, c.recognised,
      c.duplicate_key AS duplicateKey,
      EXISTS (SELECT 1 FROM exclusions
        WHERE kind = 'passage' AND value = c.duplicate_key) AS excluded
    FROM files f JOIN chunks c ON c.file = f.file JOIN contents t ON t.chunk = c.chunk
    WHERE f.id = ${fileId} AND f.state = 'live' AND c.live = 1
      AND c.position >= ${from} AND c.position < ${from + limit} ORDER BY c.position`;
  const records = rows.map(({ duplicate, excluded, headings, is_named, recognised, ...row }) => {
    const { isNamed = false, ...origin } = marksOf({ is_named, recognised });
    const marks = { isDuplicate: duplicate === 1, isExcluded: excluded === 1, ...origin };
    const path = writtenHeadings({ headings: stringsIn(headings), isNamed });
    return Object.assign(row, { headings: path, ...marks });
  });
  const total = valueOf<number>(sql)`SELECT chunk_count FROM files
    WHERE id = ${fileId} AND state = 'live'`;
  return { passages: records, total: total ?? 0 };
};

const COPIED_CHUNKS = 256;
const COPIED_BYTES = 4 * 1_024 * 1_024;

type CopiedRow = Omit<
  StoredChunk,
  "headings" | "isDuplicate" | "isNamed" | "recognised" | "vector"
> &
  Row<"chunks", "headings" | "duplicate" | "is_named" | "recognised"> &
  Row<"contents", "vector">;

/** A file's chunks are read some hundred at a time, so that a large file does not fill memory. */
export const readVersions: Verb<"readVersions"> = ({ sql }, { fileIds, from }) => {
  const versions: StoredVersion[] = [];
  let bytes = 0;
  for (const [at, fileId] of fileIds.entries()) {
    const [file] = rowsOf<Row<"files", "file" | "revision" | "chunk_count">>(sql)`
      SELECT file, revision, chunk_count FROM files WHERE id = ${fileId} AND state = 'live'`;
    if (file === undefined) continue;
    const { file: row, revision, chunk_count: chunkCount } = file;
    const chunks: StoredChunk[] = [];
    versions.push({ fileId, revision, chunkCount, chunks });
    let position = at === 0 ? from : 0;
    while (position < chunkCount) {
      if (bytes >= COPIED_BYTES) {
        return { versions, next: { fileIds: fileIds.slice(at), from: position } };
      }
      for (const chunk of readCopiedChunks(sql, row, position)) {
        chunks.push(chunk);
        bytes += chunk.vector.byteLength + chunk.text.length;
      }
      position += COPIED_CHUNKS;
    }
  }
  return { versions, next: null };
};

function readCopiedChunks(sql: SqlStorage, file: number, from: number): StoredChunk[] {
  const rows = rowsOf<CopiedRow>(sql)`SELECT c.chunk AS number, t.text, t.vector, c.position,
      c.headings, c.languages, c.page, c.start_at AS start, c.end_at AS end, c.duplicate,
      c.is_named, c.recognised,
      c.duplicate_key AS duplicateKey
    FROM chunks c JOIN contents t ON t.chunk = c.chunk
    WHERE c.file = ${file} AND c.live = 1
      AND c.position >= ${from} AND c.position < ${from + COPIED_CHUNKS} ORDER BY c.position`;
  return rows.map(({ duplicate, headings, is_named, recognised, vector, ...row }) => {
    const marks = { isDuplicate: duplicate === 1, ...marksOf({ is_named, recognised }) };
    const bytes = new Uint8Array(vector);
    return Object.assign(row, { headings: stringsIn(headings), vector: bytes, ...marks });
  });
}
