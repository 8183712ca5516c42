import { build, stop, type Plugin } from "esbuild";
/** Writes dist/worker: all that workerd runs on this machine. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { PROJECT, SERVICE } from "../installation.ts";
import { replaceFile } from "../replace-file.ts";
import { buildAssets } from "./build-assets.ts";
import { workerdConfigs } from "./service-config.ts";

const VERSION_LENGTH = 16;
const TASKS = "src/cli/worker/workerd";

/** Parts of miniflare: `wrangler dev` runs the same simulators. */
const SIMULATORS = {
  "d1-entry": "d1/entry",
  d1: "d1/database",
  kv: "kv/namespace",
  r2: "r2/bucket",
  queues: "queues/broker",
  "object-entry": "shared/object-entry",
  shared: "shared/index",
  zod: "shared/zod",
};

const textOf = (...path: string[]) => readFileSync(join(PROJECT, ...path), "utf8");

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    replaceFile(join(SERVICE, name), text, join(PROJECT, "dist"));
  }
}

/** Changes with the sources and the installed packages. */
function versionOf(minify: boolean): string {
  const hash = createHash("sha256").update(String(minify));
  const sources = readdirSync(join(PROJECT, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:tsx?|css|svg)$/.test(name))
    .map((name) => join("src", name));
  const otherFiles = ["package.json", "wrangler.toml", "node_modules/.package-lock.json"];
  for (const name of [...sources.sort(), ...otherFiles]) hash.update(`${name}\n${textOf(name)}`);
  return hash.digest("hex").slice(0, VERSION_LENGTH);
}

/** Replaces modules by the text of their imports, as wrangler does. */
const aliases = (replacements: Record<string, string>): Plugin => ({
  name: "aliases",
  setup(build) {
    for (const [name, file] of Object.entries(replacements)) {
      build.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: join(PROJECT, file) }));
    }
  },
});

/**
 * As wrangler bundles a Worker for a date at which workerd has Node.js's modules and globals.
 * esbuild's own process would stay for as long as a service runs: stop it.
 */
async function bundle(entry: string, minify = false): Promise<string> {
  const { alias } = workerdConfigs(textOf("wrangler.toml"), "");
  const { outputFiles } = await build({
    entryPoints: [join(PROJECT, entry)],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*"],
    define: {
      "navigator.userAgent": '"Cloudflare-Workers"',
      "process.env.NODE_ENV": '"production"',
    },
    keepNames: true,
    minify,
    plugins: [aliases(alias)],
    logLevel: "error",
  }).finally(stop);
  return outputFiles[0]?.text ?? "";
}

function simulators(): Record<string, string> {
  const miniflare = createRequire(import.meta.url).resolve("miniflare");
  const licence = textOf("LICENSE").replace(
    /^Copyright .*$/m,
    "Copyright (c) 2020 Cloudflare, Inc.",
  );
  const notice = `/*! miniflare, https://github.com/cloudflare/workers-sdk\n${licence}*/\n`;
  const files = Object.entries(SIMULATORS).map(([name, path]) => {
    const text = readFileSync(join(dirname(miniflare), `workers/${path}.worker.js`), "utf8");
    return [`${name}.js`, notice + text];
  });
  return Object.fromEntries(files);
}

/** Writes the files that the local database needs. */
export async function buildDatabase(): Promise<void> {
  const names = readdirSync(join(PROJECT, "migrations")).filter((name) => name.endsWith(".sql"));
  const migrations = names.sort().map((name) => [name, textOf("migrations", name)]);
  write({
    ...simulators(),
    "database-task.js": await bundle(`${TASKS}/database-task.ts`),
    "migrations.json": JSON.stringify(Object.fromEntries(migrations)),
    "database.capnp": workerdConfigs(textOf("wrangler.toml"), "").database,
  });
}

/** Writes the files of the service, which runs with those of the database, if they changed. */
export async function buildService({ minify = false } = {}): Promise<void> {
  const { service, variables } = workerdConfigs(textOf("wrangler.toml"), versionOf(minify));
  const config = join(SERVICE, "service.capnp");
  if (existsSync(config) && readFileSync(config, "utf8") === service) return;
  buildAssets();
  write({
    "index.js": await bundle("src/index.ts", minify),
    "variables.json": variables,
    // Written last: it names the version of the others.
    "service.capnp": service,
  });
}

const OLDEST_NODE = "node20";

/** Writes `cli/quarry.js`: the commands, with all that they import. Some of it calls `require`. */
export async function bundleCommands(dist = join(PROJECT, "dist")): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [join(PROJECT, "src/cli/quarry.ts")],
    write: false,
    bundle: true,
    platform: "node",
    format: "esm",
    target: OLDEST_NODE,
    // A package is built; only a checkout builds.
    external: ["*/build-service.ts"],
    banner: {
      js: 'import { createRequire as quarryRequire } from "node:module"; const require = quarryRequire(import.meta.url);',
    },
  });
  const [bundle] = outputFiles;
  replaceFile(join(dist, "cli/quarry.js"), bundle?.contents ?? "", dist);
}
