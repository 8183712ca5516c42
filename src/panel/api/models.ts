import { z } from "@hono/zod-openapi";

import {
  providerKeyStates,
  providerName,
  providerSetting,
  providerSettingFields,
  removeProviderKey,
  setProvider,
} from "../../catalog/models/provider-keys.ts";
import { offeredModels, putModel, replaceModels } from "../../catalog/models/replace-models.ts";
import { tryModelServer } from "../../catalog/models/try-model-server.ts";
import { serverState } from "../../core/models/model-servers.ts";
import {
  listModelRows,
  priceKey,
  removeModel,
  type ModelRow,
} from "../../db/catalog/model-store.ts";
import { PROVIDER_KEY_NAMES } from "../../ports/models.ts";
import { action, type ActionCall } from "../action.ts";
import { Endpoints, timeOrNull, schema } from "./request/endpoint.ts";

const KeyState = schema("ProviderKey", {
  provider: z.enum(PROVIDER_KEY_NAMES),
  setBy: z.enum(["environment", "panel"]).nullable(),
  setAt: timeOrNull,
});

/** As in `chat openai/m: 1 / 2.5 USD`, prices of input and output. */
const pricesOf = (models: ModelRow[]) =>
  Object.fromEntries(
    models.map(({ kind, model, inputPrice, outputPrice, currency }) => [
      priceKey(kind, model),
      `${inputPrice} / ${outputPrice} ${currency}`,
    ]),
  );

const modelsReplacement = action({
  name: "models.put",
  route: "put /models",
  about: "Replace the offered models. The whole list at once.",
  body: offeredModels,
  work: ({ services, body }) => replaceModels(services, { models: body }),
  readPrevious: async ({ db }) => pricesOf(await listModelRows(db)),
  valuesOfList: pricesOf,
  answer: offeredModels,
});

export const modelChange = action({
  name: "models.put",
  about: "Add a model to the list, or change its prices.",
  body: offeredModels.element,
  work: ({ services, body }: ActionCall<ModelRow | undefined, typeof offeredModels.element>) =>
    putModel(services, { model: body }),
  previousValues: (row) => row ?? {},
  target: (_row, { body }) => body.model,
  notice: "The model is in the list.",
});

export const modelRemoval = action({
  name: "models.put",
  about: "Remove a model from the list.",
  work: ({ services, subject }: ActionCall<ModelRow, z.ZodUndefined>) =>
    removeModel(services.db, subject),
  previousValues: (row) => row,
  target: ({ model }) => model,
  notice: "The model is no longer in the list.",
});

export const providerChange = action({
  name: "provider-keys.put",
  route: "put /provider-keys",
  about:
    "Set a provider's key, or a server of local models by its `baseUrl`. Either is tested; keys are stored encrypted.",
  reference: providerSettingFields,
  body: providerSetting,
  errors: [409],
  work: ({ services, body }) => setProvider(services, body),
  target: (_none, { body }) => ("name" in body ? body.name : body.provider),
  notice: "The test passed. It is stored.",
});

export const providerRemoval = action({
  name: "provider-keys.remove",
  about: "Remove a provider's key, or a server. What the environment sets stays.",
  id: providerName,
  find: (_services, { key: id }) => ({ id }),
  work: ({ services, subject: { id } }) => removeProviderKey(services, id),
  notice: "It is removed.",
});

export const serverTest = action({
  name: "model-servers.test",
  about: "Ask each model of a server once.",
  work: ({ services, subject: { id } }: ActionCall<{ id: string }, z.ZodUndefined>) =>
    tryModelServer(services, id),
});

/** The models offered, with prices per million tokens; a list without pages. */
export const modelRoutes = new Endpoints("service")
  .json(
    "get /models",
    "Models that are offered, with prices per million tokens. The models that forms offer. Other models can be used as well.",
    { answer: offeredModels },
    ({ services }) => listModelRows(services.db),
  )
  .action(modelsReplacement)
  .json(
    "get /provider-keys",
    "Keys of model providers. Which providers have one, and whether the environment sets it. Never a key.",
    { answer: z.array(KeyState) },
    ({ services }) => providerKeyStates(services),
  )
  .action(providerChange)
  .action(providerRemoval)
  .json(
    "get /model-servers",
    "Servers of local models. For administrators. Each is asked for its models; `problem` says why it lists none.",
    { answer: z.array(serverState), by: "admins" },
    ({ services }) => services.models.servers(),
  ).app;
