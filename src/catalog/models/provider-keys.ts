import { z } from "zod";

import { seal } from "../../access/seal.ts";
import { forgetProviderKeys } from "../../access/secrets/read-provider-keys.ts";
import { readProviderKeys } from "../../access/secrets/read-provider-keys.ts";
import type { Config } from "../../config.ts";
import { conflict, invalidField } from "../../core/errors.ts";
import { environmentServers, SERVER_NAME } from "../../core/models/model-servers.ts";
import { trimEnd } from "../../core/trim.ts";
import { deleteProviderKey, listProviderKeys } from "../../db/access/provider-key-store.ts";
import { upsertProviderKey } from "../../db/access/provider-key-store.ts";
import { PROVIDER_KEY_NAMES, type ProviderKeyName } from "../../ports/models.ts";
import type { Services } from "../../services.ts";
import { guardUrl, httpAddress } from "../../sources/guarded-url.ts";

const MAX_KEY_LENGTH = 1_000;

export const newProviderKey = z.object({
  provider: z.enum(PROVIDER_KEY_NAMES).meta({
    label: "Provider",
    choices: {
      local: "Server of local/… models, set by the environment",
      gateway: "AI Gateway",
      openai: "OpenAI, through AI Gateway",
      anthropic: "Anthropic, through AI Gateway",
      "google-ai-studio": "Google AI Studio, through AI Gateway",
      groq: "Groq, through AI Gateway",
      mistral: "Mistral, through AI Gateway",
      cohere: "Cohere, through AI Gateway",
    },
  }),
  key: z
    .string()
    .trim()
    .min(1, "is required")
    .max(MAX_KEY_LENGTH)
    .regex(/^[\x21-\x7e]*$/, "must be one line of plain characters")
    .meta({
      label: "Key",
      input: "password",
      hint: "It is tested, stored encrypted, never shown.",
    }),
});

export const newModelServer = z.object({
  name: z
    .string()
    .regex(SERVER_NAME, "must be local, or begin with local-, such as local-embed")
    .meta({ label: "Name", hint: "local, or local-embed for local-embed/… models.", isHalf: true }),
  baseUrl: httpAddress.meta({ label: "Address", hint: "Usually ends in /v1.", isHalf: true }),
  apiKey: newProviderKey.shape.key
    .meta({ hint: "If it needs one. Kept while the address stays." })
    .optional(),
});
/** Either, and what it is removed by. */
export const providerSetting = newModelServer.or(newProviderKey);
export const providerName = z
  .string()
  .regex(
    new RegExp(`^(?:${PROVIDER_KEY_NAMES.join("|")}|local(?:-[a-z0-9]+){0,5})$`),
    "must be the name of a provider or of a server",
  )
  .meta({ example: "local" });
const pair = (first: string, second: string) => ({ [first]: [second], [second]: [first] });
/** Fields of either; the reference says which of them go together. */
export const providerSettingFields = z
  .object({ ...newProviderKey.shape, ...newModelServer.shape })
  .partial()
  .refine((body) => Object.keys(body).length > 1)
  .meta({
    description: "`provider` and `key`, or `name` and `baseUrl`.",
    minProperties: 2,
    maxProperties: 3,
    dependentRequired: {
      ...pair("provider", "key"),
      ...pair("name", "baseUrl"),
      apiKey: ["baseUrl"],
    },
  });

export type ProviderKeyState = Awaited<ReturnType<typeof providerKeyStates>>[number];

/** Variables that count before what is set in the panel. */
const VARIABLES: Partial<Record<ProviderKeyName, keyof Config>> = {
  local: "OPENAI_COMPATIBLE_API_KEY",
  gateway: "AI_GATEWAY_TOKEN",
};
export const variableOf = (provider: ProviderKeyName) => VARIABLES[provider] ?? null;

const isInEnvironment = (config: Config, provider: ProviderKeyName) => {
  const variable = variableOf(provider);
  return variable !== null && config[variable] !== undefined;
};

/** Says of each provider whether it has a key, never the key; when it was set in the panel, ms. */
export async function providerKeyStates({ db, config }: Pick<Services, "db" | "config">) {
  const rows = (await listProviderKeys(db)).filter(({ baseUrl }) => baseUrl === null);
  const setTimes = new Map(rows.map(({ name, setAt }) => [name, setAt]));
  return PROVIDER_KEY_NAMES.map((provider) => {
    const setAt = setTimes.get(provider) ?? null;
    if (isInEnvironment(config, provider)) {
      return { provider, setBy: "environment" as const, setAt: null };
    }
    return { provider, setBy: setAt === null ? null : ("panel" as const), setAt };
  });
}

/**
 * Tests a key with its provider, and stores it encrypted.
 * @throws QuarryError `invalid`: what is wrong with it; `conflict`: the environment sets it
 */
export async function setProviderKey(
  services: KeyServices,
  { provider, key }: z.output<typeof newProviderKey>,
): Promise<void> {
  const { config, models } = services;
  if (isInEnvironment(config, provider)) {
    throw conflict(`The environment sets this key: ${variableOf(provider)}`);
  }
  const problem = await models.problemWithKey(provider, key);
  if (problem !== null) throw invalidField("key", `: ${problem}`);
  await store(services, { name: provider, key, baseUrl: null });
}

type KeyServices = Pick<Services, "config" | "db" | "log" | "models" | "now">;

async function store(
  { config, db, now }: KeyServices,
  { key, ...row }: { name: string; key: string; baseUrl: string | null },
): Promise<void> {
  await upsertProviderKey(db, { ...row, sealedKey: await seal(config, key), setAt: now() });
  forgetProviderKeys();
}

const UNAUTHORIZED = 401;

/**
 * Asks a server for its models, and stores it. Its key is kept for the same address alone: whoever
 * may change the address need not know it.
 * @throws QuarryError `invalid`: what is wrong; `conflict`: the environment sets this server
 */
export async function setModelServer(
  services: KeyServices,
  { name, baseUrl: address, apiKey: key }: z.output<typeof newModelServer>,
): Promise<void> {
  const { config, models, now } = services;
  if (environmentServers(config).some((server) => server.name === name)) {
    throw conflict("The environment sets this server");
  }
  // A deployment reaches what is public: its operator names servers of the network beside it.
  const verdict = guardUrl(address, undefined, config.ENVIRONMENT === "development");
  if (!verdict.ok) throw invalidField("baseUrl", `: ${verdict.reason}`);
  const baseUrl = trimEnd(address, "/");
  const { servers = [] } = await readProviderKeys(services, now());
  const before = servers.find((server) => server.name === name && server.baseUrl === baseUrl);
  const apiKey = key ?? before?.apiKey;
  const { status, problem } = await models.serverState({ name, baseUrl, apiKey, setBy: "panel" });
  if (status === null || status === UNAUTHORIZED) {
    throw invalidField(status === null ? "baseUrl" : "apiKey", `: the server ${problem}`);
  }
  await store(services, { name, baseUrl, key: apiKey ?? "" });
}

export const setProvider = (services: KeyServices, body: z.output<typeof providerSetting>) =>
  "baseUrl" in body ? setModelServer(services, body) : setProviderKey(services, body);

/** A key, or a server with its key. Does nothing where there is none. */
export async function removeProviderKey({ db }: Pick<Services, "db">, provider: string) {
  await deleteProviderKey(db, provider);
  forgetProviderKeys();
}
