import { createRoute, OpenAPIHono } from "@hono/zod-openapi";

import { addScope } from "../../catalog/rags/add-scope.ts";
import { removeScope } from "../../catalog/rags/remove-scope.ts";
import type { AppEnv } from "../app-env.ts";
import { guardRag, mayChange } from "../middleware/guard.ts";
import { jsonBody } from "../middleware/json-body.ts";
import { errors } from "../schemas/error.ts";
import { EXAMPLES } from "../schemas/examples.ts";
import { Ok, Scope } from "../schemas/rag.ts";
import { bearer, json, jsonRequest, ragParams, TAGS } from "./route-parts.ts";

const addRagScope = createRoute({
  method: "post",
  path: "/api/rags/{identifier}/scopes",
  operationId: "addRagScope",
  summary: "Add a scope",
  description: "Adds an entry to the RAG's scope list and queues a scan.",
  tags: [TAGS.rags],
  security: bearer,
  middleware: [guardRag, mayChange, jsonBody()] as const,
  request: { params: ragParams, body: jsonRequest(Scope, EXAMPLES.scope) },
  responses: {
    200: json(Ok, "The scope was added.", EXAMPLES.ok),
    ...errors(400, 403, 404, 409, 413, 422),
  },
});

const removeRagScope = createRoute({
  method: "delete",
  path: "/api/rags/{identifier}/scopes",
  operationId: "removeRagScope",
  summary: "Remove a scope",
  description:
    "Removes an entry from the RAG's scope list; what is no longer in scope leaves the search at once.",
  tags: [TAGS.rags],
  security: bearer,
  middleware: [guardRag, mayChange, jsonBody()] as const,
  request: { params: ragParams, body: jsonRequest(Scope, EXAMPLES.scope) },
  responses: {
    200: json(Ok, "The scope is gone.", EXAMPLES.ok),
    ...errors(400, 403, 404, 413, 422),
  },
});

export const ragScopeRoutes = new OpenAPIHono<AppEnv>();

ragScopeRoutes.openapi(addRagScope, async (context) => {
  const { rag, services } = context.var;
  await addScope(services, { rag, scope: context.req.valid("json") });
  return context.json({ ok: true as const }, 200);
});

ragScopeRoutes.openapi(removeRagScope, async (context) => {
  const { rag, services } = context.var;
  await removeScope(services, { rag, scope: context.req.valid("json") });
  return context.json({ ok: true as const }, 200);
});
