import { z } from "@hono/zod-openapi";

import { createAgent } from "../../catalog/agents/create-agent.ts";
import { findAgent } from "../../catalog/agents/find-agent.ts";
import { updateAgent } from "../../catalog/agents/update-agent.ts";
import { deleteAgent, listAgentRecords } from "../../db/catalog/agent-store.ts";
import {
  newPrompted,
  promptedOf,
  promptedPatch,
  resourceRoutes,
  shownPrompted,
} from "./request/prompted-resource.ts";

const DESCRIPTION_MAX_LENGTH = 2_000;
const STEPS_MAX = 10;
const DEFAULT_STEPS = 5;

const description = z.string().max(DESCRIPTION_MAX_LENGTH);
const maxSteps = z.int().min(1).max(STEPS_MAX);

export const newAgent = z.object({
  ...newPrompted,
  description: description.default(""),
  maxSteps: maxSteps.default(DEFAULT_STEPS),
});
export const agentPatch = z.object({ ...promptedPatch, description, maxSteps }).partial();

export const agentRoutes = () =>
  resourceRoutes({
    path: "/agents",
    one: "agent",
    newBody: newAgent,
    patchBody: agentPatch,
    answer: z
      .object({ ...shownPrompted, description: z.string(), maxSteps: z.int() })
      .openapi("PanelAgent"),
    shown: promptedOf,
    list: listAgentRecords,
    find: (services, key) => findAgent(services, { key }),
    create: createAgent,
    update: (services, agent, patch) => updateAgent(services, { agent, patch }),
    remove: (db, { id }) => deleteAgent(db, id),
  });
