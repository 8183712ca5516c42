import { build } from "esbuild";
/**
 * Writes TypeScript types of both APIs, from their OpenAPI documents, to dist/api-types. The
 * command line and tests are compiled with them. Nothing is made while the sources are older.
 */
import { existsSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { PROJECT } from "../installation.ts";
import { replaceFile } from "../replace-file.ts";

const DIST = join(PROJECT, "dist");
const TYPES = join(DIST, "api-types");
const SOURCE = join(PROJECT, "src");
const APIS = ["public", "panel"] as const;
type Documents = Record<(typeof APIS)[number], object>;

/** Bundled before it runs, as Node.js reads no JSX. */
const DOCUMENTS = `
import { parseConfig } from "./config.ts";
import { jsonLog } from "./core/log.ts";
import { createApp } from "./http/app.ts";
import { panelDocument } from "./panel/api/app.ts";
const BASE_URL = "http://localhost";
const services = { config: parseConfig({ ENVIRONMENT: "development" }), log: jsonLog(() => {}) };
const context = { waitUntil() {}, passThroughOnException() {}, props: {} };
const request = new Request(BASE_URL + "/api/openapi.json");
const answer = await createApp(() => services).fetch(request, {}, context);
export const documents = { public: await answer.json(), panel: panelDocument(BASE_URL) };
`;

async function readDocuments(): Promise<Documents> {
  const outfile = join(DIST, `.${process.pid}-documents.mjs`);
  await build({
    stdin: { contents: DOCUMENTS, resolveDir: SOURCE, loader: "ts" },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    // Loaded for PDF files only; a fresh checkout has not built them yet.
    external: ["#character-maps/*", "#pdfjs", "#picture-decoders"],
  });
  const bundle: unknown = await import(pathToFileURL(outfile).href).finally(() => rmSync(outfile));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what DOCUMENTS exports
  return (bundle as { documents: Documents }).documents;
}

/** The generator needs the compiler's JavaScript API, which TypeScript 7 no longer has. */
async function typesOf(document: object): Promise<string> {
  const compiler = new URL("./typescript-with-an-api.ts", import.meta.url).href;
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier === "typescript" ? compiler : specifier, context),
  });
  try {
    const { default: generate, astToString } = await import("openapi-typescript");
    // Our own client is as old as the service: it knows every value.
    const text = JSON.stringify(document).replaceAll('"x-extensible-enum":', '"enum":');
    return astToString(await generate(text));
  } finally {
    hooks.deregister();
  }
}

function isCurrent(): boolean {
  const files = APIS.map((api) => join(TYPES, `${api}.d.ts`));
  if (!files.every((file) => existsSync(file))) return false;
  const madeAt = Math.min(...files.map((file) => statSync(file).mtimeMs));
  const names = readdirSync(SOURCE, { recursive: true, encoding: "utf8" });
  return names.every((name) => statSync(join(SOURCE, name)).mtimeMs < madeAt);
}

if (!isCurrent()) {
  const documents = await readDocuments();
  for (const api of APIS) {
    const file = join(TYPES, `${api}.d.ts`);
    replaceFile(file, await typesOf(documents[api]), DIST);
    utimesSync(file, new Date(), new Date());
  }
}
