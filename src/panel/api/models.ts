import { offeredModels, replaceModels } from "../../catalog/models/replace-models.ts";
import { listModelRows } from "../../db/catalog/model-store.ts";
import { Endpoints } from "./request/endpoint.ts";

/** The models offered, with prices per million tokens; a list without pages. */
export const modelRoutes = () =>
  new Endpoints("service")
    .json(
      "get /models",
      "Models that are offered, with prices per million tokens. The models that forms offer. Other models can be used as well.",
      { answer: offeredModels },
      ({ services }) => listModelRows(services.db),
    )
    .json(
      "put /models",
      "Replace the offered models. The whole list at once.",
      { body: offeredModels, answer: offeredModels },
      ({ services, body }) => replaceModels(services, { models: body }),
    ).app;
