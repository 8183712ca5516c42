import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";

import { isoTime } from "../../core/time.ts";
import { runAgent } from "../../inference/run-agent.ts";
import { AgentInvokeRequest } from "../../inference/run-requests.ts";
import type { ContentBlock as Block } from "../../inference/types.ts";
import { linkedSourceOf, runAnswer } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { baseUrlOf } from "../client-address.ts";
import { guardAgent, guardAgentRun } from "../middleware/guard.ts";
import { answerRun } from "../run-stream.ts";
import { errorResponses } from "../schemas/error.ts";
import { ContentBlock, LinkedFileSource, runFields } from "../schemas/inference.ts";
import { agentParams, bearer, json, jsonRequest, checkJson, TAGS } from "./route-parts.ts";

/** The agents are part of the API and not of its published specification. */
const ofAgents = { hide: true, tags: [TAGS.agents], security: bearer };

const AgentDetail = z.object({
  name: z.string(),
  identifier: z.string(),
  url: z.url(),
  createdAt: z.iso.datetime({ precision: 3 }),
  description: z.string(),
  fileSources: z.array(LinkedFileSource),
});

const AgentInvokeResponse = z.object({
  response: z.array(ContentBlock),
  agent: z.string(),
  params: AgentInvokeRequest,
  ...runFields,
});

const getAgent = createRoute({
  ...ofAgents,
  operationId: "getAgent",
  summary: "Agent by identifier",
  description: "Name, path and RAGs of an agent.",
  method: "get",
  path: "/api/agents/{identifier}",
  middleware: [guardAgent] as const,
  request: { params: agentParams },
  responses: { 200: json(AgentDetail, "The agent."), ...errorResponses(403, 404) },
});

const invokeAgent = createRoute({
  ...ofAgents,
  operationId: "invokeAgent",
  summary: "Invoke an agent",
  description: "Run one turn. The agent searches its RAGs as often as it needs, then answers.",
  method: "post",
  path: "/api/agents/{identifier}/invoke",
  middleware: [guardAgentRun, ...checkJson(AgentInvokeRequest)] as const,
  request: { params: agentParams, body: jsonRequest(AgentInvokeRequest) },
  responses: {
    200: json(AgentInvokeResponse, "The turn."),
    ...errorResponses(400, 403, 404, 413, 415, 502),
  },
});

export const agentReference = [getAgent, invokeAgent];

export const agentRoutes = new OpenAPIHono<AppEnv>();

agentRoutes.openapi(getAgent, (context) => {
  const { agent, services } = context.var;
  const { name, identifier, createdAt, description, rags } = agent;
  const base = baseUrlOf(services.config, context.req.raw);
  const url = `${base}/api/agents/${identifier}/invoke`;
  const fileSources = rags.map(linkedSourceOf);
  const times = { createdAt: isoTime(createdAt) };
  return context.json({ name, identifier, url, ...times, description, fileSources }, 200);
});

agentRoutes.openapi(invokeAgent, async (context) => {
  const { agent, caller, services } = context.var;
  const input = context.req.valid("json");
  const { prompt, messages, includeSources } = input;
  const cites = includeSources === true;
  return await answerRun(context, {
    run: (listening) =>
      runAgent(services, { agent, prompt, messages, cites, caller, ...listening }),
    answerOf: (result) => ({
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without a JSON Schema the response is content blocks
      response: result.response as Block[],
      agent: agent.identifier,
      params: input,
      ...runAnswer(result, input, caller),
    }),
    includeSources,
    caller,
    log: services.log,
  });
});
