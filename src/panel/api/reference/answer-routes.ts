import { z } from "@hono/zod-openapi";

import { agentPatch, newAgent } from "../agents.ts";
import { inferencePatch, newInference } from "../inferences.ts";
import { described, listOf, paging, time } from "./described.ts";

const prompted = {
  id: z.string(),
  name: z.string(),
  identifier: z.string(),
  systemPrompt: z.string(),
  model: z.string(),
  rags: z.array(z.string()),
  temperature: z.number().nullable(),
  maxOutputTokens: z.int().nullable(),
  createdAt: time,
};
const Inference = z.object({ ...prompted, nativeRag: z.boolean() }).openapi("PanelInference");
const Agent = z
  .object({ ...prompted, description: z.string(), maxSteps: z.int() })
  .openapi("PanelAgent");

type Resource = { path: string; one: string; shown: z.ZodType; added: z.ZodType; patch: z.ZodType };

const routesOf = ({ path, one, shown, added, patch }: Resource) => [
  described("answers", "get", path, {
    summary: `All ${one}s`,
    description: "With the RAGs that each is linked to.",
    query: paging,
    answers: { 200: listOf(shown) },
  }),
  described("answers", "post", path, {
    summary: `Add an ${one}`,
    description: "`rags` holds the identifiers of the RAGs that it searches.",
    body: added,
    answers: { 201: { schema: shown } },
    errors: [404, 409],
  }),
  described("answers", "get", `${path}/{id}`, {
    summary: `An ${one}`,
    description: "All of its settings.",
    answers: { 200: { schema: shown } },
  }),
  described("answers", "patch", `${path}/{id}`, {
    summary: `Change an ${one}`,
    description: "Fields that are left out stay as they are. The identifier never changes.",
    body: patch,
    answers: { 200: { schema: shown } },
  }),
  described("answers", "delete", `${path}/{id}`, {
    summary: `Remove an ${one}`,
    description: "Programs that call it get 404.",
    answers: { 204: null },
  }),
];

export const answerReference = [
  ...routesOf({
    path: "/inferences",
    one: "inference",
    shown: Inference,
    added: newInference,
    patch: inferencePatch,
  }),
  ...routesOf({ path: "/agents", one: "agent", shown: Agent, added: newAgent, patch: agentPatch }),
];
