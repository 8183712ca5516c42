import { z } from "zod";

import { forgetProviderKeys } from "../../access/secrets/stored-provider-keys.ts";
import { seal } from "../../access/seal.ts";
import type { Config } from "../../config.ts";
import { conflict, invalidField } from "../../core/errors.ts";
import {
  deleteProviderKey,
  listProviderKeys,
  upsertProviderKey,
} from "../../db/access/provider-key-store.ts";
import { PROVIDER_KEY_NAMES, type ProviderKeyName } from "../../ports/models.ts";
import type { Services } from "../../services.ts";

const MAX_KEY_LENGTH = 1_000;

/** What a provider key is set with. */
export const newProviderKey = z.object({
  provider: z.enum(PROVIDER_KEY_NAMES).meta({
    label: "Provider",
    choices: {
      local: "Server of local/… models",
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

/** Of each provider whether it has a key, never the key; when it was set in the panel, ms. */
export async function providerKeyStates({ db, config }: Pick<Services, "db" | "config">) {
  const stored = new Map((await listProviderKeys(db)).map(({ name, setAt }) => [name, setAt]));
  return PROVIDER_KEY_NAMES.map((provider) => {
    const setAt = stored.get(provider) ?? null;
    const ofPanel = { provider, setBy: setAt === null ? null : ("panel" as const), setAt };
    const ofOther = { provider, setBy: "environment" as const, setAt: null };
    return isInEnvironment(config, provider) ? ofOther : ofPanel;
  });
}

/**
 * Tests a key with its provider, and stores it encrypted.
 * @throws QuarryError `invalid`: what is wrong with it; `conflict`: the environment sets it
 */
export async function setProviderKey(
  services: Pick<Services, "db" | "config" | "models" | "now">,
  { provider, key }: z.output<typeof newProviderKey>,
): Promise<void> {
  const { db, config, models, now } = services;
  if (isInEnvironment(config, provider)) {
    throw conflict(`The environment sets this key: ${variableOf(provider)}`);
  }
  const problem = await models.problemWithKey(provider, key);
  if (problem !== null) throw invalidField("key", `: ${problem}`);
  await upsertProviderKey(db, {
    name: provider,
    sealedKey: await seal(config, key),
    setAt: now(),
  });
  forgetProviderKeys();
}

/** Does nothing where there is none. */
export async function removeProviderKey(
  { db }: Pick<Services, "db">,
  provider: ProviderKeyName,
): Promise<void> {
  await deleteProviderKey(db, provider);
  forgetProviderKeys();
}
