import { z } from "@hono/zod-openapi";

import { agentPatch, newAgent, storedAgent } from "../../catalog/agents/agent-settings.ts";
import { createAgent } from "../../catalog/agents/create-agent.ts";
import { findAgent } from "../../catalog/agents/find-agent.ts";
import { updateAgent } from "../../catalog/agents/update-agent.ts";
import { deleteAgent, listAgentRecords } from "../../db/catalog/runner-store.ts";
import { promptedOf, resourceRoutes, shownPrompted } from "./request/prompted-resource.ts";

export const agentRoutes = () =>
  resourceRoutes({
    path: "/agents",
    one: "agent",
    newBody: newAgent,
    patchBody: agentPatch,
    answer: z.object({ ...storedAgent.shape, ...shownPrompted }).openapi("PanelAgent"),
    shown: promptedOf,
    list: listAgentRecords,
    find: (services, key) => findAgent(services, { key }),
    create: createAgent,
    update: (services, agent, patch) => updateAgent(services, { agent, patch }),
    remove: (db, { id }) => deleteAgent(db, id),
  });
