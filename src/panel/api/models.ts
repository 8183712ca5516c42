import { z } from "@hono/zod-openapi";

import {
  providerKeyStates,
  providerName,
  providerSetting,
  providerSettingFields,
  removeProviderKey,
  setProvider,
} from "../../catalog/models/provider-keys.ts";
import { forbidden } from "../../core/errors.ts";
import { serverState } from "../../core/models/model-servers.ts";
import { offeredModels, replaceModels } from "../../catalog/models/replace-models.ts";
import { listModelRows } from "../../db/catalog/model-store.ts";
import { PROVIDER_KEY_NAMES } from "../../ports/models.ts";
import { parseKnownOrRefuse } from "../../http/validation.ts";
import { Endpoints, timeOrNull } from "./request/endpoint.ts";
import { jsonOf } from "./request/read-request.ts";

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
    "Set a provider's key, or a server of local models by its `baseUrl`. Either is tested; keys are stored encrypted.",
    { ownBody: providerSettingFields, errors: [409] },
    async ({ context, services }) => {
      const body = await jsonOf(context.req);
      await setProvider(services, parseKnownOrRefuse(providerSetting, body));
    },
  )
  .empty(
    "delete /provider-keys/{id}",
    "Remove a provider's key, or a server. What the environment sets stays.",
    { id: providerName },
    ({ services, key }) => removeProviderKey(services, key),
  )
  .json(
    "get /model-servers",
    "Servers of local models. For administrators. Each is asked for its models; `problem` says why it lists none.",
    { answer: z.array(serverState) },
    async ({ services, caller }) => {
      if (caller.role !== "admin") throw forbidden();
      return await services.models.servers();
    },
  ).app;
