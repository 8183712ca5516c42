import type { z } from "zod";

import { checkChunking, overlapFor, storedRag } from "../../catalog/rags/rag-settings.ts";
import { requireFound } from "../../core/errors.ts";
import { shardOf } from "../../core/hash.ts";
import { relativePath } from "../../core/input/input-fields.ts";
import { findFile } from "../../db/files/file-store.ts";
import type { RagRecord } from "../../db/records.ts";
import { writtenHeadings } from "../../ports/index-versions.ts";
import type { Passage } from "../../ports/rag-index.ts";
import type { Services } from "../../services.ts";
import { storedPath } from "../../sources/file-names.ts";
import { estimateTokens } from "../../text/tokens.ts";
import { readExtractedText } from "./extracted-texts.ts";

/** Characters of the document that are cut: enough to judge settings by, and quickly done. */
const PREVIEW_CHARACTERS = 100_000;
const PREVIEW_CHUNKS = 50;

/** A file, and settings to chunk it with. */
export const previewWish = storedRag
  .pick({ chunkSize: true, chunkOverlap: true })
  .partial()
  .extend({ path: relativePath.min(1).transform(storedPath) });

export type ChunkPreview = Awaited<ReturnType<typeof previewChunks>>;

/**
 * How a file would be cut with other settings of a RAG; nothing is changed. A long document is cut
 * up to 100,000 characters.
 * @throws QuarryError `not-found` for a file that was not read yet, `invalid` for the settings.
 */
export async function previewChunks(
  services: Pick<Services, "db" | "files" | "models">,
  input: z.output<typeof previewWish> & { rag: RagRecord },
) {
  const { rag, path, chunkSize: longest = rag.chunkSize } = input;
  const { longestPassage } = services.models.embeddingForm(rag.embeddingModel);
  const chunkSize = Math.min(longest, longestPassage);
  const { chunkOverlap = overlapFor(rag, chunkSize) } = input;
  checkChunking(chunkSize, chunkOverlap);
  const { document, name } = await readExtractedText(services, { source: rag.fileSource, path });
  const { chunkDocument, chunkText } = await import("../../documents/chunking/chunk-document.ts");
  const markdown = document.markdown.slice(0, PREVIEW_CHARACTERS);
  const tokenizer = services.models.tokenizerOf(rag.embeddingModel);
  const settings = { chunkSize, chunkOverlap, tokenizer, fileName: name };
  const cut = chunkDocument({ ...document, markdown }, settings);
  const chunks = cut.slice(0, PREVIEW_CHUNKS).map((chunk) => {
    const { position, page, start, end } = chunk;
    const headings = writtenHeadings(chunk);
    const text = chunkText(markdown, chunk);
    const tokens = estimateTokens(text, tokenizer);
    return { position, headings, page, start, end, tokens, text };
  });
  // Characters in all, and in the part that was cut: `total` counts the chunks of that part.
  const characters = document.markdown.length;
  const charactersCut = markdown.length;
  return { chunkSize, chunkOverlap, characters, charactersCut, total: cut.length, chunks };
}

/**
 * One page of a file's passages in a RAG's live index, as they were cut; none while the file is
 * not indexed there.
 * @throws QuarryError `not-found` when the RAG's source has no such file.
 */
export async function listPassages(
  { db, ragIndexes }: Pick<Services, "db" | "ragIndexes">,
  { rag, path, ...page }: { rag: RagRecord; path: string; offset: number; limit: number },
): Promise<{ data: Passage[]; total: number }> {
  const file = requireFound(await findFile(db, rag.fileSource.id, path));
  const { id: ragId, generation, shards } = rag;
  const index = ragIndexes({ ragId, generation, shard: shardOf(file.id, shards) });
  const { offset: from, limit } = page;
  const { passages, total } = await index.passages(file.id, { from, limit });
  return { data: passages, total };
}
