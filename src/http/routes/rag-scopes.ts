import { createRoute, OpenAPIHono } from "@hono/zod-openapi";

import { addScope, removeScope } from "../../catalog/rags/scopes.ts";
import type { AppEnv } from "../app-env.ts";
import { audited } from "../middleware/audit.ts";
import { guardRag, mayChange } from "../middleware/guard.ts";
import { errors, invalidRequest } from "../schemas/error.ts";
import { EXAMPLES } from "../schemas/examples.ts";
import { Ok, Scope } from "../schemas/rag.ts";
import { bearer, json, jsonRequest, ragParams, TAGS, readsJson } from "./route-parts.ts";

const addRagScope = createRoute({
  method: "post",
  path: "/api/rags/{identifier}/scopes",
  operationId: "addRagScope",
  summary: "Add a scope",
  description:
    "Adds an entry to the RAG's scope list and queues a scan. A RAG in global mode has no list: 422. A token that may not manage scopes: 403.",
  tags: [TAGS.rags],
  security: bearer,
  middleware: [audited("/api"), guardRag, mayChange, ...readsJson(Scope)] as const,
  request: { params: ragParams, body: jsonRequest(Scope, EXAMPLES.scope) },
  responses: {
    200: json(Ok, "The scope was added.", EXAMPLES.ok, ["X-Ignored-Fields", "X-Scope-Files"]),
    ...invalidRequest("value must be relative, without a leading /"),
    ...errors(403, 404, 409, 413, 415, 422),
  },
});

const removeRagScope = createRoute({
  method: "delete",
  path: "/api/rags/{identifier}/scopes",
  operationId: "removeRagScope",
  summary: "Remove a scope",
  description:
    "Removes an entry from the RAG's scope list. Files outside the remaining scopes leave search at once.",
  tags: [TAGS.rags],
  security: bearer,
  middleware: [audited("/api"), guardRag, mayChange, ...readsJson(Scope)] as const,
  request: { params: ragParams, body: jsonRequest(Scope, EXAMPLES.scope) },
  responses: {
    200: json(Ok, "The scope was removed.", EXAMPLES.ok, ["X-Ignored-Fields"]),
    ...invalidRequest("type must be one of path, externalId; value is required"),
    ...errors(403, 404, 413, 415, 422),
  },
});

export const ragScopeRoutes = new OpenAPIHono<AppEnv>();

ragScopeRoutes.openapi(addRagScope, async (context) => {
  const { rag, services } = context.var;
  const { files } = await addScope(services, { rag, scope: context.req.valid("json") });
  if (files !== null) context.header("X-Scope-Files", files);
  return context.json({ ok: true as const }, 200);
});

ragScopeRoutes.openapi(removeRagScope, async (context) => {
  const { rag, services } = context.var;
  await removeScope(services, { rag, scope: context.req.valid("json") });
  return context.json({ ok: true as const }, 200);
});
