import { z } from "@hono/zod-openapi";

import { ContentBlock, LinkedFileSource, Prompt, runFields } from "./inference.ts";

const MESSAGES_LIMIT = 50;

export const AgentDetail = z.object({
  name: z.string(),
  identifier: z.string(),
  url: z.url(),
  createdAt: z.iso.datetime({ precision: 3 }),
  description: z.string(),
  fileSources: z.array(LinkedFileSource),
});

export const AgentInvokeRequest = z.object({
  prompt: Prompt,
  /** Earlier turns, oldest first: the server stores no conversation. */
  messages: z
    .array(z.object({ role: z.enum(["user", "assistant"]), content: z.string() }))
    .max(MESSAGES_LIMIT)
    .optional(),
  includeSystemPrompt: z.boolean().default(false),
  includeSources: z.boolean().optional(),
});

export const AgentInvokeResponse = z.object({
  response: z.array(ContentBlock),
  agent: z.string(),
  params: AgentInvokeRequest,
  ...runFields,
});
