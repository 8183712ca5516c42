import { z } from "@hono/zod-openapi";

const ChunkSource = z
  .object({
    ragIdentifier: z.string().describe("RAG of the chunk."),
    filePath: z.string().describe("Path of the file."),
    name: z.string().describe("File name."),
    externalId: z
      .string()
      .nullable()
      .describe("The file's id at the provider; null if it has none."),
    url: z.string().nullable().describe("Address of the document; null if it has none."),
    modifiedAt: z.iso
      .datetime()
      .describe("When the file was last changed, according to its source."),
    position: z.int().min(0).describe("0 for the file's first chunk."),
    page: z
      .int()
      .min(1)
      .nullable()
      .describe("Page on which the chunk begins, from 1; null if there are no pages."),
    headings: z.array(z.string()).describe("Heading path, outermost first."),
    start: z
      .int()
      .min(0)
      .describe("Offset of the passage in the file's text, in UTF-16 code units."),
    end: z.int().min(0).describe("Offset of the first character after it."),
    recognised: z
      .literal(true)
      .optional()
      .describe("Present when a model read some of the passage from a picture."),
  })
  .openapi("ChunkSource");

export const Chunk = z
  .object({
    text: z.string().describe("Text of the chunk."),
    score: z.number().min(0).max(1).openapi({ description: "Similarity.", example: 0.731 }),
    source: ChunkSource.optional().describe("Only with includeSources."),
  })
  .openapi("Chunk");

export const Degradation = z
  .object({
    occurred: z.literal(true).describe("Always true."),
    message: z
      .string()
      .optional()
      .describe("The part that failed; only with an administrator session."),
  })
  .openapi("Degradation", {
    description: "Present when the answer was built with less context than requested.",
  });

export const RagRetrieveResponse = z
  .object({
    chunks: z.array(Chunk).describe("The chunks, best first."),
    degraded: Degradation.optional(),
  })
  .openapi("RagRetrieveResponse");
