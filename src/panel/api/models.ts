import { Hono } from "hono";
import { z } from "zod";

import { replaceModels } from "../../catalog/models/replace-models.ts";
import { listModelRows } from "../../db/catalog/model-store.ts";
import { jsonBody } from "../../http/middleware/json-body.ts";
import { modelName } from "./request/fields.ts";
import type { PanelEnv } from "./request/panel-env.ts";
import { bodyOf } from "./request/read-request.ts";

export const MODELS_MAX = 1_000;
const price = z.number().min(0);

export const offeredModels = z
  .array(
    z.object({
      model: modelName,
      kind: z.enum(["chat", "embedding", "reranker"]),
      inputPrice: price,
      outputPrice: price,
      currency: z.string().regex(/^[A-Z]{3}$/, "must be a currency code of three capitals"),
    }),
  )
  .max(MODELS_MAX);

/** The models offered, with prices per million tokens; a list without pages. */
export function modelRoutes(): Hono<PanelEnv> {
  const app = new Hono<PanelEnv>();
  app.get("/", async (context) => context.json(await listModelRows(context.get("services").db)));
  app.put("/", jsonBody(), async (context) => {
    const models = await bodyOf(context.req, offeredModels);
    return context.json(await replaceModels(context.get("services"), { models }));
  });
  return app;
}
