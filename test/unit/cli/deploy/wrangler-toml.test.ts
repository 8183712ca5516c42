import { join } from "node:path";
import { expect, test } from "vitest";
import { unstable_readConfig as readConfig } from "wrangler";

import { PROJECT } from "../../../../src/cli/installation.ts";

type Config = Record<string, unknown>;

/** Read as wrangler reads it: nothing of the top level comes into an environment by itself. */
const configFor = (env?: string) =>
  JSON.parse(
    JSON.stringify(
      readConfig({ config: join(PROJECT, "wrangler.toml"), ...(env === undefined ? {} : { env }) }),
    ),
  ) as Config;

const KEYS =
  `name minify upload_source_maps workers_dev compatibility_flags vars secrets version_metadata assets limits
  observability placement ai vectorize d1_databases kv_namespaces r2_buckets durable_objects migrations queues
  triggers`.split(/\s+/);
const settings = (config: Config) => Object.fromEntries(KEYS.map((key) => [key, config[key]]));

test("preview is production with other names and nothing else", () => {
  const renamed = JSON.stringify(settings(configFor("preview")))
    .replaceAll("quarry-preview", "quarry")
    .replaceAll('"preview"', '"production"');
  expect(JSON.parse(renamed)).toEqual(settings(configFor("production")));
});

test("no resource of the preview is one of production's", () => {
  const names = (config: Config) =>
    ["d1_databases", "r2_buckets", "vectorize", "queues"].flatMap((key) =>
      [...JSON.stringify(config[key]).matchAll(/"(quarry[a-z-]*)"/g)].map(([, name]) => name),
    );
  const production = new Set(names(configFor("production")));
  expect(production.size).toBeGreaterThan(5);
  expect(names(configFor("preview")).filter((name) => production.has(name))).toEqual([]);
});

test("production has the objects, migrations, queues and cron of the local default", () => {
  const [local, production] = [configFor(), configFor("production")];
  for (const key of ["migrations", "triggers", "compatibility_date"]) {
    expect(production[key]).toEqual(local[key]);
  }
  // Production also says when its objects take new code.
  expect(production["durable_objects"]).toMatchObject(local["durable_objects"] as object);
  const queuesOf = ({ queues }: Config) => {
    const { producers, consumers } = queues as Record<string, Config[]>;
    const namesOf = ({ queue, binding, dead_letter_queue }: Config) => [
      queue,
      binding,
      dead_letter_queue,
    ];
    return [producers, consumers].map((list) => list?.map(namesOf));
  };
  expect(queuesOf(production)).toEqual(queuesOf(local));
});

test("every queue that can give up a message gives it to one that is read", () => {
  for (const env of ["production", "preview"]) {
    const { consumers = [] } = configFor(env)["queues"] as Record<string, Config[]>;
    const consumed = new Set(consumers.map(({ queue }) => queue));
    const dead = consumers.flatMap(({ dead_letter_queue }) => dead_letter_queue ?? []);
    expect(dead.length).toBe(3);
    expect(dead.filter((queue) => !consumed.has(queue))).toEqual([]);
  }
});
