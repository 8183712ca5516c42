import { z } from "zod";

import { MODEL_KINDS } from "./model-kind.ts";

/** A server of models whose names begin with its own: `local/…`, `local-embed/…`. */
export type KeyedServer = Pick<ServerState, "name" | "baseUrl" | "setBy"> & {
  apiKey: string | undefined;
};

export const SERVER_NAME = /^local(?:-[a-z0-9]+){0,5}$/;

type Variable = "OPENAI_COMPATIBLE_BASE_URL" | "OPENAI_COMPATIBLE_API_KEY" | "EMBEDDING_BASE_URL";

/** The servers that the environment names. */
export const environmentServers = (
  variables: Partial<Record<Variable, string | undefined>>,
): KeyedServer[] =>
  [
    [variables.OPENAI_COMPATIBLE_BASE_URL, "local", variables.OPENAI_COMPATIBLE_API_KEY] as const,
    [variables.EMBEDDING_BASE_URL, "local-embed", undefined] as const,
  ].flatMap(([baseUrl, name, apiKey]) =>
    baseUrl === undefined ? [] : { name, baseUrl, apiKey, setBy: "environment" as const },
  );

/** The state of a server of models, as its list of models shows it. */
export const serverState = z.object({
  name: z.string(),
  baseUrl: z.string(),
  setBy: z.enum(["environment", "panel"]),
  /** The status of its answer; null: it does not answer. */
  status: z.int().nullable(),
  /** The problem, as a clause; null: it lists its models. */
  problem: z.string().nullable(),
  models: z.array(
    z.object({
      model: z.string(),
      kind: z.enum(MODEL_KINDS).nullable(),
      /** Tokens of prompt and answer together; null: the server does not say. */
      contextTokens: z.number().nullable(),
    }),
  ),
});
export type ServerState = z.infer<typeof serverState>;
export type ServedModel = ServerState["models"][number];
