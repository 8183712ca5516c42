import { z } from "zod";

import type { DocumentConverter } from "../../ports/document-converter.ts";
import { withRetries } from "./retries.ts";

/**
 * Markdown conversion of Workers AI
 * (https://developers.cloudflare.com/workers-ai/features/markdown-conversion/). A file that cannot
 * be converted is an entry with `format: "error"`, not a thrown error.
 */
const responseSchema = z.union([
  z.object({ format: z.literal("error"), error: z.string() }),
  z.object({ format: z.string(), data: z.string() }),
]);

export function markdownConverter(ai: Pick<Ai, "toMarkdown">): DocumentConverter {
  return {
    async toMarkdown(name, mimeType, bytes) {
      const blob = new Blob([bytes.slice().buffer], { type: mimeType });
      const reply = await withRetries("document converter", () => ai.toMarkdown({ name, blob }));
      const response = responseSchema.parse(reply);
      if ("error" in response) throw new Error(`document converter: ${response.error}`);
      return response.data;
    },
  };
}
