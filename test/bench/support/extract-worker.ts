import { readLimited } from "../../../src/core/bytes/read-limited.ts";
import { DOCUMENT_LIMIT_BYTES } from "../../../src/core/document-limit.ts";
import type { ClaimedFile } from "../../../src/db/files/claim-files.ts";
import { chunkDocument } from "../../../src/documents/chunking/chunk-document.ts";
import { extractDocument } from "../../../src/documents/extract-document.ts";
import { putExtractedText } from "../../../src/ingestion/indexing/extracted-texts.ts";
import { identify } from "../../../src/ingestion/indexing/file-work.ts";

/** Takes in what is kept, and forgets it. */
const nowhere = {
  putParts: async (_key: string, _size: number, parts: Iterable<Uint8Array>) => {
    for (const part of parts) void part;
  },
};

const file = {
  ragId: "bench",
  generation: 1,
  fileId: "bench",
  contentId: "bench",
  source: { id: "bench" },
} as unknown as ClaimedFile;

/** `POST /NAME` with a file's bytes: what indexing does before it embeds anything. */
export default {
  async fetch(request) {
    const { body, url } = request;
    if (request.method !== "POST" || body === null) return new Response(null, { status: 204 });
    const name = new URL(url).pathname.slice(1);
    const size = Number(request.headers.get("content-length"));
    try {
      const bytes = await readLimited(body, DOCUMENT_LIMIT_BYTES, size);
      if (bytes === null) throw new Error("larger than a file may be");
      const yieldToOthers = () => scheduler.wait(0);
      const raw = { name, mimeType: null, bytes };
      const document = await extractDocument(raw, { discardsBytes: true, yieldToOthers });
      await putExtractedText(nowhere, file, document);
      const settings = {
        chunkSize: 400,
        chunkOverlap: 40,
        tokenizer: "unknown",
        fileName: name,
      } as const;
      const chunks = await identify(file, document.markdown, chunkDocument(document, settings));
      const { markdown, pages } = document;
      const counts = { characters: markdown.length, pages: pages.length, chunks: chunks.length };
      return Response.json({ outcome: "read", ...counts });
    } catch (error) {
      return Response.json({ outcome: String(error), characters: 0, pages: 0, chunks: 0 });
    }
  },
} satisfies ExportedHandler;
