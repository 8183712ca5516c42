import { hashEmbedding } from "../../../src/adapters/embedded/hash-embedder.ts";
import { encodeHalfFloats } from "../../../src/core/half-float.ts";
import type { ChunkId, FileId } from "../../../src/core/ids.ts";
import { RagIndex as Index } from "../../../src/durable-objects/rag-index.ts";
import type { FileVersion } from "../../../src/ports/index-versions.ts";
import type { Restriction, SearchRequest } from "../../../src/ports/rag-index.ts";
import { textOf } from "./synthetic-text.ts";

const DIMENSIONS = 64;
const WORDS_A_CHUNK = 60;
const FILES_A_CALL = 100;
const AUDIENCES = 1_000;

const audienceOf = (file: number) => file % AUDIENCES;
const fileIdOf = (file: number) => `file-${String(file).padStart(8, "0")}` as FileId;
const vectorOf = (text: string) => Float32Array.from(hashEmbedding(text, DIMENSIONS));
const groupOf = (audience: number) => `group:${audience}`;

function versionOf(file: number): FileVersion {
  const text = textOf(file, WORDS_A_CHUNK);
  const id = `chunk-${file}` as ChunkId;
  const place = { id, position: 0, headings: [], page: null, start: 0, end: text.length };
  const vector = encodeHalfFloats(vectorOf(text));
  const path = `folder${file % 20}/${file}.md`;
  const readers = { id: groupOf(audienceOf(file)), principals: [groupOf(audienceOf(file))] };
  const facts = { fileId: fileIdOf(file), path, name: path, externalId: null, url: null };
  return {
    file: { ...facts, modifiedAt: 0, metadata: {}, readers: { ...readers, revision: 1 } },
    revision: 1,
    staged: [{ id, text, duplicateKey: id, vector }],
    chunks: [place],
  };
}

/** The index object, filled by its own code without a call for each file. */
export class RagIndex extends Index {
  async fill(from: number, to: number): Promise<void> {
    for (let at = from; at < to; at += FILES_A_CALL) {
      const files = Array.from({ length: Math.min(FILES_A_CALL, to - at) }, (_, nth) => at + nth);
      await this.writeVersions(files.map(versionOf));
    }
  }

  /** Shares a folder's files with one more person; an audience for each that they had. */
  async share(folder: number, files: number, person: string, revision: number): Promise<number> {
    const shared = Array.from({ length: files }, (_, nth) => folder + nth * 20);
    const audiences = new Map(
      shared.map((file) => {
        const group = groupOf(audienceOf(file));
        return [group, { id: `${group} ${person}`, principals: [group, person] }];
      }),
    );
    const before = this.ctx.storage.sql.exec("SELECT total_changes() AS rows").one()["rows"];
    await this.writeReaders({
      audiences: [...audiences.values()],
      files: shared.map((file) => {
        return {
          fileId: fileIdOf(file),
          audience: `${groupOf(audienceOf(file))} ${person}`,
          revision,
        };
      }),
    });
    const after = this.ctx.storage.sql.exec("SELECT total_changes() AS rows").one()["rows"];
    return Number(after) - Number(before);
  }
}

type Asked = { verb: string; from?: number; to?: number; query?: string; principals?: string[] };

type Env = { RAG_INDEX: DurableObjectNamespace<RagIndex> };

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (request.method !== "POST") return new Response("ready");
    const asked = await request.json<Asked>();
    const index = env.RAG_INDEX.get(env.RAG_INDEX.idFromName("one"));
    const { verb, from = 0, to = 0, query = "", principals } = asked;
    if (verb === "fill") {
      await index.fill(from, to);
      return Response.json({});
    }
    if (verb === "share") return Response.json(await index.share(3, to, "user:new", from));
    const restriction: Restriction = { named: null, metadata: [] };
    if (principals !== undefined) restriction.readers = { principals, since: 0 };
    const search: SearchRequest = {
      queries: [{ text: query, vector: vectorOf(query) }],
      restriction,
      includeDuplicates: false,
      limitPerLeg: 100,
      lexical: true,
    };
    const startedAt = performance.now();
    const { queries } = await index.search(search);
    const ids = queries.flatMap(({ vector }) => vector.map(({ id }) => id));
    return Response.json({ ms: performance.now() - startedAt, ids });
  },
};
