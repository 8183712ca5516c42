import { z } from "zod";

import { withinTime } from "../../core/work/deadline.ts";
import { ModelFailure, type ImageReader } from "../../ports/models.ts";
import type { WorkersAiSettings } from "./workers-ai-failures.ts";
import { retryBindingCall } from "./retry-binding-call.ts";

/**
 * Markdown conversion of Workers AI
 * (https://developers.cloudflare.com/workers-ai/features/markdown-conversion/). A picture that
 * cannot be converted is an entry with `format: "error"`, not a thrown error.
 */
const responseSchema = z.union([
  z.object({ format: z.literal("error"), error: z.string() }),
  z.object({ format: z.string(), data: z.string(), tokens: z.number().optional() }),
]);

const LONGEST_MS = 120_000;

/** Requests through the AI Gateway when one is named. */
export function markdownConversion(
  { ai, gatewayId }: WorkersAiSettings,
  model: string,
): ImageReader {
  const options = gatewayId === undefined ? {} : { gateway: { id: gatewayId } };
  return {
    name: model,
    async read({ bytes, mediaType }) {
      const name = `picture.${mediaType.split("/")[1] ?? ""}`;
      const blob = new Blob([bytes.slice().buffer], { type: mediaType });
      const converting = retryBindingCall("conversion", () =>
        Promise.resolve(ai.toMarkdown?.({ name, blob }, options)),
      ).catch((cause: unknown) => {
        throw new ModelFailure("failed", { retryable: true }, { cause });
      });
      const reply = await withinTime(converting, LONGEST_MS);
      if (reply === null) throw new ModelFailure("no answer in time", { isLate: true });
      const response = responseSchema.safeParse(reply);
      if (!response.success) throw new ModelFailure("unreadable reply");
      if ("error" in response.data) throw new ModelFailure("it cannot be converted");
      const { data, tokens = 0 } = response.data;
      // The service puts the name of the file above its text.
      const text = data.replace(`# ${name}`, "").trim();
      return { text, ending: "whole", inputTokens: 0, outputTokens: tokens };
    },
  };
}
