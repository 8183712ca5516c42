import { Hono } from "hono";
import { z } from "zod";

import { createInference } from "../../catalog/inferences/create-inference.ts";
import { findInference } from "../../catalog/inferences/find-inference.ts";
import { updateInference } from "../../catalog/inferences/update-inference.ts";
import { deleteInference, listInferenceRecords } from "../../db/catalog/inference-store.ts";
import { isoTime } from "../../core/time.ts";
import type { InferenceRecord } from "../../db/records.ts";
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

const newInference = z.object({
  name,
  identifier: identifier.optional(),
  nativeRag: z.boolean().default(true),
  systemPrompt,
  model: modelName,
  rags: links.default([]),
  temperature: temperature.default(null),
  maxOutputTokens: maxOutputTokens.default(null),
});

const inferencePatch = z
  .object({
    name,
    identifier: z.string(),
    nativeRag: z.boolean(),
    systemPrompt,
    model: modelName,
    rags: links,
    temperature,
    maxOutputTokens,
  })
  .partial();

const shown = (inference: InferenceRecord) => ({
  id: inference.id,
  name: inference.name,
  identifier: inference.identifier,
  nativeRag: inference.nativeRag,
  systemPrompt: inference.systemPrompt,
  model: inference.model,
  rags: inference.rags.map((rag) => rag.identifier),
  temperature: inference.temperature,
  maxOutputTokens: inference.maxOutputTokens,
  createdAt: isoTime(inference.createdAt),
});

export function inferenceRoutes(): Hono<PanelEnv> {
  const app = new Hono<PanelEnv>();

  app.get("/", async (context) => {
    const paging = pagingOf(context.req);
    const { db } = context.get("services");
    return context.json(pageOf(await listInferenceRecords(db, paging), paging, shown));
  });

  app.post("/", jsonBody(), async (context) => {
    const input = await bodyOf(context.req, newInference);
    return context.json(shown(await createInference(context.get("services"), input)), 201);
  });

  app.get("/:id", async (context) => {
    const key = context.req.param("id");
    return context.json(shown(await findInference(context.get("services"), { key })));
  });

  app.patch("/:id", jsonBody(), async (context) => {
    const services = context.get("services");
    const inference = await findInference(services, { key: context.req.param("id") });
    const { identifier: wanted, ...patch } = given(await bodyOf(context.req, inferencePatch));
    refuseChange("identifier", inference.identifier, wanted);
    return context.json(shown(await updateInference(services, { inference, patch })));
  });

  app.delete("/:id", async (context) => {
    const services = context.get("services");
    const inference = await findInference(services, { key: context.req.param("id") });
    await deleteInference(services.db, inference.id);
    return context.body(null, 204);
  });
  return app;
}
