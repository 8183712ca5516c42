import { Hono } from "hono";
import { z } from "zod";

import { isoTime } from "../../../core/time.ts";
import type { Slice } from "../../../db/page.ts";
import type { AgentRecord, InferenceRecord } from "../../../db/records.ts";
import { jsonBody } from "../../../http/middleware/json-body.ts";
import type { Services } from "../../../services.ts";
import {
  identifier,
  links,
  maxOutputTokens,
  modelName,
  name,
  systemPrompt,
  temperature,
} from "./fields.ts";
import type { PanelEnv } from "./panel-env.ts";
import { bodyOf, given, pageOf, pagingOf, refuseChange, type Given } from "./read-request.ts";

/** Fields of a new inference and of a new agent; both have a prompt, a model and linked RAGs. */
export const newPrompted = {
  name,
  identifier: identifier.optional(),
  systemPrompt,
  model: modelName,
  rags: links.default([]),
  temperature: temperature.default(null),
  maxOutputTokens: maxOutputTokens.default(null),
};

export const promptedPatch = {
  name,
  identifier: z.string(),
  systemPrompt,
  model: modelName,
  rags: links,
  temperature,
  maxOutputTokens,
};

export const shownPrompted = (of: AgentRecord | InferenceRecord) => ({
  id: of.id,
  name: of.name,
  identifier: of.identifier,
  systemPrompt: of.systemPrompt,
  model: of.model,
  rags: of.rags.map((rag) => rag.identifier),
  temperature: of.temperature,
  maxOutputTokens: of.maxOutputTokens,
  createdAt: isoTime(of.createdAt),
});

type Patched = { identifier?: string | undefined };

type Resource<Record, New extends z.ZodType, Patch extends z.ZodType<Patched>> = {
  newBody: New;
  patchBody: Patch;
  shown: (record: Record) => object;
  list: (db: Services["db"], slice: Slice) => Promise<{ data: Record[]; total: number }>;
  /** @throws QuarryError `not-found` */
  find: (services: Services, key: string) => Promise<Record>;
  create: (services: Services, input: z.output<New>) => Promise<Record>;
  update: (
    services: Services,
    record: Record,
    patch: Omit<Given<z.output<Patch>>, "identifier">,
  ) => Promise<Record>;
  remove: (db: Services["db"], record: Record) => Promise<void>;
};

/** The five routes of a resource: list, create, read, change, remove. */
export function resourceRoutes<
  Record extends { identifier: string },
  New extends z.ZodType,
  Patch extends z.ZodType<Patched>,
>(resource: Resource<Record, New, Patch>): Hono<PanelEnv> {
  const { shown, find } = resource;
  const app = new Hono<PanelEnv>();

  app.get("/", async (context) => {
    const paging = pagingOf(context.req);
    const listed = await resource.list(context.get("services").db, paging);
    return context.json(pageOf(listed, paging, shown));
  });

  app.post("/", jsonBody(), async (context) => {
    const input = await bodyOf(context.req, resource.newBody);
    return context.json(shown(await resource.create(context.get("services"), input)), 201);
  });

  app.get("/:id", async (context) =>
    context.json(shown(await find(context.get("services"), context.req.param("id")))),
  );

  app.patch("/:id", jsonBody(), async (context) => {
    const services = context.get("services");
    const record = await find(services, context.req.param("id"));
    const { identifier: wanted, ...patch } = given(await bodyOf(context.req, resource.patchBody));
    refuseChange("identifier", record.identifier, wanted);
    return context.json(shown(await resource.update(services, record, patch)));
  });

  app.delete("/:id", async (context) => {
    const services = context.get("services");
    await resource.remove(services.db, await find(services, context.req.param("id")));
    return context.body(null, 204);
  });
  return app;
}
