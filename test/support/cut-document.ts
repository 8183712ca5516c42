import {
  chunkDocument,
  chunkText,
  textToEmbed,
} from "../../src/documents/chunking/chunk-document.ts";
import type { Chunk, ChunkSettings } from "../../src/documents/chunking/chunk-document.ts";
import type { ExtractedDocument } from "../../src/documents/extract-document.ts";

export type CutChunk = Chunk & { text: string; embeddedText: string };

/** A document's chunks with their texts. */
export function cutDocument(document: ExtractedDocument, settings: ChunkSettings): CutChunk[] {
  const { markdown } = document;
  return chunkDocument(document, settings).map((chunk) =>
    Object.assign(chunk, {
      text: chunkText(markdown, chunk),
      embeddedText: textToEmbed(markdown, chunk),
    }),
  );
}
