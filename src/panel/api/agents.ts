import { Hono } from "hono";
import { z } from "zod";

import { createAgent } from "../../catalog/agents/create-agent.ts";
import { findAgent } from "../../catalog/agents/find-agent.ts";
import { updateAgent } from "../../catalog/agents/update-agent.ts";
import { deleteAgent, listAgentRecords } from "../../db/catalog/agent-store.ts";
import { isoTime } from "../../core/time.ts";
import type { AgentRecord } from "../../db/records.ts";
import { jsonBody } from "../../http/middleware/json-body.ts";
import {
  identifier,
  links,
  maxOutputTokens,
  modelName,
  name,
  systemPrompt,
  temperature,
} from "./request/fields.ts";
import type { PanelEnv } from "./request/panel-env.ts";
import { bodyOf, given, pageOf, pagingOf, refuseChange } from "./request/read-request.ts";

const DESCRIPTION_MAX_LENGTH = 2_000;
const STEPS_MAX = 10;
const DEFAULT_STEPS = 5;

const description = z.string().max(DESCRIPTION_MAX_LENGTH);
const maxSteps = z.int().min(1).max(STEPS_MAX);

const newAgent = z.object({
  name,
  identifier: identifier.optional(),
  description: description.default(""),
  maxSteps: maxSteps.default(DEFAULT_STEPS),
  systemPrompt,
  model: modelName,
  rags: links.default([]),
  temperature: temperature.default(null),
  maxOutputTokens: maxOutputTokens.default(null),
});

const agentPatch = z
  .object({
    name,
    identifier: z.string(),
    description,
    maxSteps,
    systemPrompt,
    model: modelName,
    rags: links,
    temperature,
    maxOutputTokens,
  })
  .partial();

const shown = (agent: AgentRecord) => ({
  id: agent.id,
  name: agent.name,
  identifier: agent.identifier,
  description: agent.description,
  maxSteps: agent.maxSteps,
  systemPrompt: agent.systemPrompt,
  model: agent.model,
  rags: agent.rags.map((rag) => rag.identifier),
  temperature: agent.temperature,
  maxOutputTokens: agent.maxOutputTokens,
  createdAt: isoTime(agent.createdAt),
});

export function agentRoutes(): Hono<PanelEnv> {
  const app = new Hono<PanelEnv>();

  app.get("/", async (context) => {
    const paging = pagingOf(context.req);
    const { db } = context.get("services");
    return context.json(pageOf(await listAgentRecords(db, paging), paging, shown));
  });

  app.post("/", jsonBody(), async (context) => {
    const input = await bodyOf(context.req, newAgent);
    return context.json(shown(await createAgent(context.get("services"), input)), 201);
  });

  app.get("/:id", async (context) => {
    const key = context.req.param("id");
    return context.json(shown(await findAgent(context.get("services"), { key })));
  });

  app.patch("/:id", jsonBody(), async (context) => {
    const services = context.get("services");
    const agent = await findAgent(services, { key: context.req.param("id") });
    const { identifier: wanted, ...patch } = given(await bodyOf(context.req, agentPatch));
    refuseChange("identifier", agent.identifier, wanted);
    return context.json(shown(await updateAgent(services, { agent, patch })));
  });

  app.delete("/:id", async (context) => {
    const services = context.get("services");
    const agent = await findAgent(services, { key: context.req.param("id") });
    await deleteAgent(services.db, agent.id);
    return context.body(null, 204);
  });
  return app;
}
