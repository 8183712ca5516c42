/** Writes dist/worker: all that workerd runs on this machine. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { build } from "esbuild";

import { PROJECT, SERVICE } from "../installation.ts";
import { buildAssets } from "./build-assets.ts";
import { replaceFile } from "./drafts.ts";
import { databaseConfig, localVariables, serviceConfig } from "./service-config.ts";

const DIST = join(PROJECT, "dist");
/** Names the content that dist/worker is made of; written last. */
const STAMP = "made-of";
const VERSION_LENGTH = 16;

/** Their names in miniflare, which holds the simulators that `wrangler dev` runs, too. */
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

/** Of the sources and what is installed. */
function hashOfInputs(): string {
  const hash = createHash("sha256");
  const names = ["src", "migrations"].flatMap((folder) =>
    readdirSync(join(PROJECT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(?:tsx?|css|svg|sql)$/.test(name))
      .map((name) => join(folder, name)),
  );
  const installed = "node_modules/.package-lock.json";
  for (const name of [...names.sort(), "package.json", "wrangler.toml", installed]) {
    hash.update(`${name}\n${textOf(name)}`);
  }
  return hash.digest("hex");
}

/** As wrangler bundles a Worker for a date at which workerd has Node.js's modules and globals. */
async function bundle(entry: string, minify: boolean): Promise<string> {
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
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}

function simulators(): Record<string, string> {
  const miniflare = createRequire(import.meta.url).resolve("miniflare/package.json");
  const folder = join(dirname(miniflare), "dist/src/workers");
  const licence = textOf("LICENSE").replace(
    /^Copyright .*$/m,
    "Copyright (c) 2020 Cloudflare, Inc.",
  );
  const notice = `/*! miniflare, https://github.com/cloudflare/workers-sdk\n${licence}*/\n`;
  const entries = Object.entries(SIMULATORS).map(([name, path]) => {
    const text = readFileSync(join(folder, `${path}.worker.js`), "utf8");
    return [`${name}.js`, notice + text];
  });
  return Object.fromEntries(entries);
}

function migrations(): string {
  const names = readdirSync(join(PROJECT, "migrations")).filter((name) => name.endsWith(".sql"));
  return JSON.stringify(
    Object.fromEntries(names.sort().map((name) => [name, textOf("migrations", name)])),
  );
}

/** Nothing is made again of the same content. */
export async function buildService({ minify = false } = {}): Promise<void> {
  const madeOf = `${hashOfInputs()}${minify ? " minified" : ""}`;
  const stamp = join(SERVICE, STAMP);
  if (existsSync(stamp) && readFileSync(stamp, "utf8").startsWith(madeOf)) return;
  buildAssets();
  const toml = textOf("wrangler.toml");
  const inside = "src/cli/worker/workerd";
  const files = {
    "index.js": await bundle("src/index.ts", minify),
    "assets-service.js": await bundle(`${inside}/assets-service.ts`, minify),
    "database-task.js": await bundle(`${inside}/database-task.ts`, minify),
    ...simulators(),
    "migrations.json": migrations(),
    "service.capnp": serviceConfig(toml, madeOf.slice(0, VERSION_LENGTH)),
    "database.capnp": databaseConfig(toml),
    "variables.json": JSON.stringify(localVariables(toml)),
    [STAMP]: madeOf,
  };
  mkdirSync(SERVICE, { recursive: true });
  for (const [name, text] of Object.entries(files)) replaceFile(join(SERVICE, name), text, DIST);
}
