import { z } from "@hono/zod-openapi";

import {
  newProviderKey,
  providerKeyStates,
  removeProviderKey,
  setProviderKey,
} from "../../catalog/models/provider-keys.ts";
import { offeredModels, replaceModels } from "../../catalog/models/replace-models.ts";
import { listModelRows } from "../../db/catalog/model-store.ts";
import { PROVIDER_KEY_NAMES } from "../../ports/models.ts";
import { parseOrRefuse } from "../../http/validation.ts";
import { Endpoints, timeOrNull } from "./request/endpoint.ts";

const KeyState = z
  .object({
    provider: z.enum(PROVIDER_KEY_NAMES),
    setBy: z.enum(["environment", "panel"]).nullable(),
    setAt: timeOrNull,
  })
  .openapi("ProviderKey");

/** The models offered, with prices per million tokens; a list without pages. */
export const modelRoutes = new Endpoints("service")
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
  )
  .json(
    "get /provider-keys",
    "Keys of model providers. Which providers have one, and whether the environment sets it. Never a key.",
    { answer: z.array(KeyState) },
    ({ services }) => providerKeyStates(services),
  )
  .empty(
    "put /provider-keys",
    "Set a provider's key. The key is tested with the provider and stored encrypted.",
    { body: newProviderKey, errors: [409] },
    ({ services, body }) => setProviderKey(services, body),
  )
  .empty(
    "delete /provider-keys/{id}",
    "Remove a provider's key. The key that the environment sets stays.",
    {},
    ({ services, key }) =>
      removeProviderKey(services, parseOrRefuse(newProviderKey.shape.provider, key)),
  ).app;
