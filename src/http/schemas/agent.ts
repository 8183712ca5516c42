import { z } from "@hono/zod-openapi";

import { AgentInvokeRequest } from "../../inference/run-requests.ts";
import { ContentBlock, LinkedFileSource, runFields } from "./inference.ts";

export const AgentDetail = z.object({
  name: z.string(),
  identifier: z.string(),
  url: z.url(),
  createdAt: z.iso.datetime({ precision: 3 }),
  description: z.string(),
  fileSources: z.array(LinkedFileSource),
});

export const AgentInvokeResponse = z.object({
  response: z.array(ContentBlock),
  agent: z.string(),
  params: AgentInvokeRequest,
  ...runFields,
});
