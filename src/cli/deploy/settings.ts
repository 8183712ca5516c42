import { join } from "node:path";
import { unstable_readConfig as readWranglerConfig } from "wrangler";
import { z } from "zod";

import { METADATA_INDEXES } from "../../adapters/cloudflare/vectorize-index.ts";
import { CommandFailure } from "../failure.ts";
import { PROJECT } from "../installation.ts";
import type { EnvironmentName } from "./wrangler-command.ts";

const queue = z.object({ queue: z.string(), dead_letter_queue: z.string().optional() });
const database = z.object({ database_name: z.string(), database_id: z.string().default("") });

/** The part of wrangler's configuration that a deployment is checked against. */
const configuration = z.object({
  name: z.string(),
  account_id: z.string().optional(),
  vars: z.record(z.string(), z.unknown()),
  d1_databases: z.tuple([database]).rest(database),
  kv_namespaces: z.tuple([z.object({ id: z.string().default("") })]),
  r2_buckets: z.array(z.object({ bucket_name: z.string() })),
  queues: z.record(z.enum(["consumers", "producers"]), z.array(queue).default([])),
  vectorize: z.array(z.object({ index_name: z.string() })),
  secrets: z.object({ required: z.array(z.string()).default([]) }).default({ required: [] }),
});

export type DeploySettings = ReturnType<typeof readDeploySettings>;

/**
 * Names all that an `[env.…]` of wrangler.toml needs in the account; wrangler chooses the account where none
 * is set. @throws CommandFailure that names what wrangler.toml lacks
 */
export function readDeploySettings(environment: EnvironmentName) {
  const wranglerConfig = readWranglerConfig({
    config: join(PROJECT, "wrangler.toml"),
    env: environment,
  });
  const { data: config, error } = configuration.safeParse(wranglerConfig);
  if (config === undefined) {
    const wrong = error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
    const where = `[env.${environment}] of wrangler.toml`;
    throw new CommandFailure(`${where} cannot be deployed. ${wrong.join("; ")}`);
  }
  const [{ database_name: name, database_id: id }] = config.d1_databases;
  const { consumers, producers } = config.queues;
  const dead = consumers.flatMap(({ dead_letter_queue: queue }) => queue ?? []);
  const queues = [...consumers, ...producers].map(({ queue }) => queue);
  return {
    environment,
    workerName: config.name,
    accountId: process.env["CLOUDFLARE_ACCOUNT_ID"] ?? config.account_id,
    database: { name, id },
    // wrangler.toml has no name for it.
    namespace: { name: `${config.name}-programs`, id: config.kv_namespaces[0].id },
    buckets: config.r2_buckets.map(({ bucket_name: bucket }) => bucket),
    // Dead-letter queues first: a consumer refers to them.
    queues: [...new Set([...dead, ...queues])],
    vectorIndex: vectorIndexIn(config),
    secrets: config.secrets.required,
    variables: config.vars,
  };
}

/** Null: the RAGs' own objects search nearest neighbours. */
function vectorIndexIn({ vars, vectorize: [bound] }: z.infer<typeof configuration>) {
  const isUsed = vars["VECTOR_INDEX"] === "vectorize" || vars["VECTOR_INDEX"] === "auto";
  if (!isUsed || bound === undefined) return null;
  const dimensions = Number(vars["EMBEDDING_DIMENSIONS"]);
  return { name: bound.index_name, dimensions, metadataIndexes: METADATA_INDEXES };
}
