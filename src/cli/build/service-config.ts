import { parse } from "smol-toml";
import { z } from "zod";

import { variableNames } from "../../config.ts";

const bindingList = <Fields extends z.ZodRawShape>(fields: Fields) =>
  z.array(z.object({ ...fields, binding: z.string() }));
const consumer = z.looseObject({ queue: z.string() });

/** The local default of wrangler.toml. */
const configuration = z.object({
  name: z.string(),
  compatibility_date: z.string(),
  compatibility_flags: z.array(z.string()),
  alias: z.record(z.string(), z.string()),
  vars: z.record(z.string(), z.string()),
  d1_databases: bindingList({ database_id: z.string() }),
  r2_buckets: bindingList({ bucket_name: z.string() }),
  kv_namespaces: bindingList({ id: z.string() }),
  durable_objects: z.object({
    bindings: z.array(z.object({ name: z.string(), class_name: z.string() })),
  }),
  queues: z.object({ producers: bindingList({ queue: z.string() }), consumers: z.array(consumer) }),
});
type Configuration = z.infer<typeof configuration>;

/* Cap'n Proto's text, https://github.com/cloudflare/workerd, src/workerd/server/workerd.capnp */
const HEAD = 'using Workerd = import "/workerd/workerd.capnp";\nconst config :Workerd.Config =';
const EXTENSIONS = `extensions = [(modules = [
  (name = "miniflare:shared", esModule = embed "shared.js"), (name = "miniflare:zod", esModule = embed "zod.js")])]`;
const network = (name: string, allow: string) =>
  `(name = "${name}", network = (allow = [${allow}], tlsOptions = (trustBrowserCas = true)))`;
const json = (value: unknown) => `json = ${JSON.stringify(JSON.stringify(value))}`;
const code = (name: string) => `modules = [(name = "${name}.js", esModule = embed "${name}.js")]`;
/** The date and flags with which miniflare runs its simulators. */
const SIMULATED =
  'compatibilityDate = "2023-07-24", compatibilityFlags = ["nodejs_compat", "experimental"';

const entryOf = (name: string, className: string, entry: string) => `
(name = "${name}-entry", worker = (${code(entry)}, ${SIMULATED}], bindings = [
  (name = "MINIFLARE_OBJECT", durableObjectNamespace = (serviceName = "${name}", className = "${className}"))])),`;

/** One of miniflare's simulators, with its keys and folders: a state folder fits both. */
const simulator = (name: string, className: string, entry = "object-entry") => `
${entryOf(name, className, entry)}
(name = "${name}-storage", disk = (path = "v3/${name}", writable = true)),
(name = "${name}", worker = (${code(name)}, ${SIMULATED}],
  durableObjectNamespaces = [(className = "${className}", uniqueKey = "miniflare-${className}")],
  durableObjectStorage = (localDisk = "${name}-storage"),
  bindings = [(name = "MINIFLARE_BLOBS", service = "${name}-storage")])),`;

const DATABASE = simulator("d1", "D1DatabaseObject", "d1-entry");

/** `max_batch_size` is `maxBatchSize` to the simulator. */
const toCamelCase = (name: string) =>
  name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** Its messages are in memory only, so that the object stays there. */
function queues({ name, queues: { consumers } }: Configuration): string {
  const settings = consumers.map(({ queue, ...rest }) => {
    const options = Object.entries(rest).map(([key, value]) => [toCamelCase(key), value]);
    return [queue, { workerName: name, ...Object.fromEntries(options) }];
  });
  return `${entryOf("queues", "QueueBrokerObject", "object-entry")}
(name = "queues", worker = (${code("queues")}, ${SIMULATED}, "service_binding_extra_handlers"],
  durableObjectNamespaces = [
    (className = "QueueBrokerObject", uniqueKey = "miniflare-QueueBrokerObject", preventEviction = true)],
  durableObjectStorage = (inMemory = void),
  bindings = [
    (name = "MINIFLARE_OBJECT", durableObjectNamespace = "QueueBrokerObject"),
    (name = "MINIFLARE_WORKER_${name}", service = "${name}"),
    (name = "MINIFLARE_QUEUE_CONSUMERS", ${json(Object.fromEntries(settings))})])),`;
}

/** Names the database, bucket, namespace or queue to a simulator. */
const serviceReference = (service: string, namespace: string) =>
  `(name = "${service}-entry", props = (${json({ MINIFLARE_NAMESPACE: namespace })}))`;

const databases = ({ d1_databases: bindings }: Configuration) =>
  bindings.map(
    ({ binding, database_id: id }) => `(name = "${binding}", wrapped = (
  moduleName = "cloudflare-internal:d1-api",
  innerBindings = [(name = "fetcher", service = ${serviceReference("d1", id)})]))`,
  );

function quarryService(config: Configuration, version: string): string {
  const { name, durable_objects: objects } = config;
  // On by default at this date; workerd warns of it at every start.
  const flags = config.compatibility_flags.filter((flag) => flag !== "nodejs_compat");
  const namespaces = objects.bindings.map(
    ({ class_name: key }) =>
      `(className = "${key}", uniqueKey = "${name}-${key}", enableSql = true)`,
  );
  const bindings = [
    ...variableNames.map((variable) => `(name = "${variable}", fromEnvironment = "${variable}")`),
    ...databases(config),
    ...objects.bindings.map(
      (object) => `(name = "${object.name}", durableObjectNamespace = "${object.class_name}")`,
    ),
    ...config.r2_buckets.map(
      ({ binding, bucket_name: bucket }) =>
        `(name = "${binding}", r2Bucket = ${serviceReference("r2", bucket)})`,
    ),
    ...config.kv_namespaces.map(
      ({ binding, id }) => `(name = "${binding}", kvNamespace = ${serviceReference("kv", id)})`,
    ),
    ...config.queues.producers.map(
      ({ binding, queue }) => `(name = "${binding}", queue = ${serviceReference("queues", queue)})`,
    ),
    '(name = "ASSETS", service = "assets")',
    '(name = "PRIVATE_NETWORK", service = "private-network")',
    `(name = "VERSION", ${json({ id: version, tag: "", timestamp: "" })})`,
  ];
  return `
(name = "${name}", worker = (${code("index")},
  compatibilityDate = "${config.compatibility_date}", compatibilityFlags = ${JSON.stringify(flags)},
  bindings = [\n${bindings.join(",\n")}],
  durableObjectNamespaces = [${namespaces.join(", ")}], durableObjectStorage = (localDisk = "do-storage"))),`;
}

/**
 * workerd's configurations for the local default of wrangler.toml. Bundles lie in the same folder, and
 * state in the folder where workerd runs. Variables come from its environment, so that no secret is
 * written; the command line adds the address and the folder of assets. Names that resolve to private
 * addresses are reached by the binding alone that the Worker uses where it may.
 */
export function workerdConfigs(toml: string, version: string) {
  const config = configuration.parse(parse(toml));
  const service = `${HEAD} (structuredLogging = true, services = [${quarryService(config, version)}
(name = "do-storage", disk = (path = "v3/do", writable = true)),
${DATABASE}${simulator("kv", "KVNamespaceObject")}${simulator("r2", "R2BucketObject")}${queues(config)}
(name = "assets", disk = ()),
${network("internet", '"public"')}, ${network("private-network", '"public", "private"')}],
sockets = [(name = "http", http = (), service = "${config.name}")], ${EXTENSIONS});`;
  const database = `${HEAD} (services = [${DATABASE}
(name = "task", worker = (${code("database-task")}, compatibilityDate = "${config.compatibility_date}",
  bindings = [${databases(config).join("")},
    (name = "STATEMENT", fromEnvironment = "STATEMENT"),
    (name = "MIGRATIONS", json = embed "migrations.json")]))], ${EXTENSIONS});`;
  return { service, database, alias: config.alias, variables: JSON.stringify(config.vars) };
}
