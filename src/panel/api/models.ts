import { z } from "@hono/zod-openapi";

import { replaceModels } from "../../catalog/models/replace-models.ts";
import { listModelRows } from "../../db/catalog/model-store.ts";
import { Endpoints } from "./request/endpoint.ts";
import { modelName } from "./request/fields.ts";

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
export const modelRoutes = () =>
  new Endpoints("service")
    .json(
      "get /models",
      {
        summary: "Models that are offered, with prices per million tokens",
        description: "Those that forms offer; any other may be named too.",
        answer: offeredModels,
      },
      ({ services }) => listModelRows(services.db),
    )
    .json(
      "put /models",
      {
        summary: "Replace the offered models",
        description: "The whole list at once.",
        body: offeredModels,
        answer: offeredModels,
      },
      ({ services, body }) => replaceModels(services, { models: body }),
    ).app;
