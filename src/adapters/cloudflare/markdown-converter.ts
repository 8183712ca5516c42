import { z } from "zod";

import type { DocumentConverter } from "../../documents/extract-document.ts";
import { retryBindingCall } from "./retry-binding-call.ts";

/**
 * Markdown conversion of Workers AI
 * (https://developers.cloudflare.com/workers-ai/features/markdown-conversion/). A file that cannot
 * be converted is an entry with `format: "error"`, not a thrown error.
 */
const responseSchema = z.union([
  z.object({ format: z.literal("error"), error: z.string() }),
  z.object({ format: z.string(), data: z.string() }),
]);

/**
 * The file's properties are not part of its text
 * (https://developers.cloudflare.com/workers-ai/features/markdown-conversion/conversion-options/).
 */
const CONVERSION = { pdf: { metadata: false } };

/** Requests through the AI Gateway when one is named. */
export function markdownConverter(
  ai: Pick<Ai, "toMarkdown">,
  gatewayId: string | undefined,
): DocumentConverter {
  const gateway = gatewayId === undefined ? {} : { gateway: { id: gatewayId } };
  const options = { conversionOptions: CONVERSION, ...gateway };
  return {
    async toMarkdown(name, mimeType, bytes) {
      const blob = new Blob([bytes.slice().buffer], { type: mimeType });
      const reply = await retryBindingCall("document converter", () =>
        ai.toMarkdown({ name, blob }, options),
      );
      const response = responseSchema.parse(reply);
      if ("error" in response) throw new Error(`document converter: ${response.error}`);
      return isFrameAlone(response.data, name) ? "" : response.data;
    },
  };
}

/** Headings that the service adds to any PDF; a PDF without text yields only these. */
const FRAME = /^#{1,6} (?:metadata|contents|page \d+)$/i;

function isFrameAlone(markdown: string, name: string): boolean {
  const lines = markdown.split("\n").map((line) => line.trim());
  return lines.every((line) => line === "" || line === `# ${name}` || FRAME.test(line));
}
