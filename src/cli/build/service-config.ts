import { parse } from "smol-toml";
import { z } from "zod";

import { variableNames } from "../../config.ts";

const consumer = z
  .object({
    queue: z.string(),
    max_batch_size: z.number(),
    max_batch_timeout: z.number(),
    max_retries: z.number(),
    dead_letter_queue: z.string().optional(),
  })
  .transform((settings) => ({
    queue: settings.queue,
    maxBatchSize: settings.max_batch_size,
    maxBatchTimeout: settings.max_batch_timeout,
    maxRetries: settings.max_retries,
    deadLetterQueue: settings.dead_letter_queue,
  }));

/** The local default of wrangler.toml. */
const configuration = z.object({
  name: z.string(),
  compatibility_date: z.string(),
  compatibility_flags: z.array(z.string()),
  vars: z.record(z.string(), z.string()),
  assets: z.object({ binding: z.string() }),
  version_metadata: z.object({ binding: z.string() }),
  d1_databases: z.tuple([z.object({ binding: z.string(), database_id: z.string() })]),
  r2_buckets: z.array(z.object({ binding: z.string(), bucket_name: z.string() })),
  kv_namespaces: z.array(z.object({ binding: z.string(), id: z.string() })),
  durable_objects: z.object({
    bindings: z.array(z.object({ name: z.string(), class_name: z.string() })),
  }),
  queues: z.object({
    producers: z.array(z.object({ binding: z.string(), queue: z.string() })),
    consumers: z.array(consumer),
  }),
});
type Configuration = z.infer<typeof configuration>;

type Literal = string | boolean | null | Literal[] | { [name: string]: Literal };

/** Cap'n Proto's text; `embed` names a file beside the configuration. */
function literal(value: Literal): string {
  if (value === null) return "void";
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(",\n")}]`;
  if (typeof value["embed"] === "string") return `embed ${JSON.stringify(value["embed"])}`;
  const fields = Object.entries(value).map(([name, field]) => `${name} = ${literal(field)}`);
  return `(${fields.join(", ")})`;
}

const configText = (config: Literal) =>
  `using Workerd = import "/workerd/workerd.capnp";\nconst config :Workerd.Config = ${literal(config)};\n`;

const moduleOf = (file: string): Literal => [{ name: file, esModule: { embed: file } }];
const json = (value: unknown) => ({ json: JSON.stringify(value) });
/** How miniflare's simulators are told the database, bucket, namespace or queue. */
const forNamespace = (service: string, name: string): Literal => ({
  name: service,
  props: json({ MINIFLARE_NAMESPACE: name }),
});

/** Of the day with which miniflare runs its simulators. */
const SIMULATOR_DATE = "2023-07-24";
const SIMULATOR_FLAGS = ["nodejs_compat", "experimental"];

/** The service before a simulator's objects. */
const entryOf = (name: string, className: string, file: string): Literal => ({
  name: `${name}-entry`,
  worker: {
    modules: moduleOf(file),
    compatibilityDate: SIMULATOR_DATE,
    compatibilityFlags: ["enhanced_error_serialization"],
    bindings: [
      { name: "MINIFLARE_OBJECT", durableObjectNamespace: { serviceName: name, className } },
    ],
  },
});

/** One of miniflare's simulators, with its keys and folders: a state folder fits both. */
function simulator(name: string, className: string, entry = "object-entry.js"): Literal[] {
  const folder = { name: `${name}-storage`, disk: { path: `v3/${name}`, writable: true } };
  const worker = {
    modules: moduleOf(`${name}.js`),
    compatibilityDate: SIMULATOR_DATE,
    compatibilityFlags: SIMULATOR_FLAGS,
    durableObjectNamespaces: [{ className, uniqueKey: `miniflare-${className}` }],
    durableObjectStorage: { localDisk: folder.name },
    bindings: [{ name: "MINIFLARE_BLOBS", service: folder.name }],
  };
  return [entryOf(name, className, entry), folder, { name, worker }];
}

const database = () => simulator("d1", "D1DatabaseObject", "d1-entry.js");

/** Messages are in memory only, so that the object stays there. */
function queues({ name, queues: { consumers } }: Configuration): Literal[] {
  const className = "QueueBrokerObject";
  const settings = consumers.map(({ queue, ...consumer }) => [
    queue,
    { workerName: name, ...consumer },
  ]);
  const worker = {
    modules: moduleOf("queues.js"),
    compatibilityDate: SIMULATOR_DATE,
    compatibilityFlags: [...SIMULATOR_FLAGS, "service_binding_extra_handlers"],
    durableObjectNamespaces: [
      { className, uniqueKey: `miniflare-${className}`, preventEviction: true },
    ],
    durableObjectStorage: { inMemory: null },
    bindings: [
      { name: "MINIFLARE_OBJECT", durableObjectNamespace: className },
      { name: `MINIFLARE_WORKER_${name}`, service: name },
      { name: "MINIFLARE_QUEUE_CONSUMERS", ...json(Object.fromEntries(settings)) },
    ],
  };
  return [entryOf("queues", className, "object-entry.js"), { name: "queues", worker }];
}

const databaseBinding = ({ d1_databases: [{ binding, database_id: id }] }: Configuration) => ({
  name: binding,
  wrapped: {
    moduleName: "cloudflare-internal:d1-api",
    innerBindings: [{ name: "fetcher", service: forNamespace("d1-entry", id) }],
  },
});

function bindings(config: Configuration, version: string): Literal[] {
  const named = (name: string, binding: Record<string, Literal>) => ({ name, ...binding });
  return [
    ...variableNames.map((name) => named(name, { fromEnvironment: name })),
    databaseBinding(config),
    ...config.durable_objects.bindings.map(({ name, class_name: className }) =>
      named(name, { durableObjectNamespace: className }),
    ),
    ...config.r2_buckets.map(({ binding, bucket_name: bucket }) =>
      named(binding, { r2Bucket: forNamespace("r2-entry", bucket) }),
    ),
    ...config.kv_namespaces.map(({ binding, id }) =>
      named(binding, { kvNamespace: forNamespace("kv-entry", id) }),
    ),
    ...config.queues.producers.map(({ binding, queue }) =>
      named(binding, { queue: forNamespace("queues-entry", queue) }),
    ),
    named(config.assets.binding, { service: "assets" }),
    named(config.version_metadata.binding, json({ id: version, tag: "", timestamp: "" })),
  ];
}

function quarry(config: Configuration, version: string): Literal {
  const classes = config.durable_objects.bindings.map(({ class_name: className }) => className);
  return {
    modules: moduleOf("index.js"),
    compatibilityDate: config.compatibility_date,
    // On by default at this date; workerd warns of it at every start.
    compatibilityFlags: config.compatibility_flags.filter((flag) => flag !== "nodejs_compat"),
    bindings: bindings(config, version),
    durableObjectNamespaces: classes.map((className) => ({
      className,
      uniqueKey: `${config.name}-${className}`,
      enableSql: true,
    })),
    durableObjectStorage: { localDisk: "do-storage" },
  };
}

const extensions = [
  {
    modules: ["shared", "zod"].map((name) => ({
      name: `miniflare:${name}`,
      esModule: { embed: `${name}.js` },
    })),
  },
];

/** Every address may be asked here: the Worker itself decides where a request may go. */
const internet = {
  name: "internet",
  network: { allow: ["public", "private"], tlsOptions: { trustBrowserCas: true } },
};

const assets = [
  { name: "assets-storage", disk: {} },
  {
    name: "assets",
    worker: {
      modules: moduleOf("assets-service.js"),
      compatibilityDate: SIMULATOR_DATE,
      bindings: [{ name: "FILES", service: "assets-storage" }],
    },
  },
];

/**
 * workerd's configuration for the local default of wrangler.toml. Bundles lie beside it; paths of
 * state are relative to the folder where workerd runs; variables come from its environment, so that
 * no secret is written; the command line adds the address and the folder of assets.
 */
export function serviceConfig(toml: string, version: string): string {
  const config = configuration.parse(parse(toml));
  return configText({
    structuredLogging: true,
    services: [
      { name: config.name, worker: quarry(config, version) },
      internet,
      { name: "do-storage", disk: { path: "v3/do", writable: true } },
      ...database(),
      ...simulator("kv", "KVNamespaceObject"),
      ...simulator("r2", "R2BucketObject"),
      ...queues(config),
      ...assets,
    ],
    sockets: [{ name: "http", http: {}, service: config.name }],
    extensions,
  });
}

/** workerd's configuration for database-task.ts. */
export function databaseConfig(toml: string): string {
  const config = configuration.parse(parse(toml));
  const task = {
    modules: moduleOf("database-task.js"),
    compatibilityDate: config.compatibility_date,
    bindings: [
      databaseBinding(config),
      { name: "STATEMENT", fromEnvironment: "STATEMENT" },
      { name: "MIGRATIONS", json: { embed: "migrations.json" } },
    ],
  };
  return configText({ services: [{ name: "task", worker: task }, ...database()], extensions });
}

/** The variables that wrangler.toml sets on this machine. */
export const localVariables = (toml: string) => configuration.parse(parse(toml)).vars;
