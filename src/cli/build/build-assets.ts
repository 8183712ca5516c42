/**
 * Writes the browser assets to dist/public and the PDF reader's character maps to
 * dist/character-maps; wrangler and the tests run it before they start.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";

import { buildSync, transformSync } from "esbuild";

import { replaceFile } from "./drafts.ts";

const require = createRequire(import.meta.url);
const ROOT = join(import.meta.dirname, "../../..");
const DIST = join(ROOT, "dist");
const ASSETS = join(DIST, "public/assets");

/** The two files that `@hono/swagger-ui` asks for below its `baseUrl`. */
const SWAGGER_FILES = ["swagger-ui.css", "swagger-ui-bundle.js"];

function copySwaggerUi() {
  const from = dirname(require.resolve("swagger-ui-dist/package.json"));
  const to = join(ASSETS, "swagger-ui-dist");
  mkdirSync(to, { recursive: true });
  for (const name of SWAGGER_FILES) writeChanged(join(to, name), readFileSync(join(from, name)));
}

/**
 * Writes changed files only: a running server watches the folder and restarts on each write. Each
 * appears whole: several builds may run at once.
 */
function writeChanged(path: string, bytes: Uint8Array) {
  if (!existsSync(path) || !readFileSync(path).equals(bytes)) replaceFile(path, bytes, DIST);
}

const HASH_LENGTH = 12;

/** `panel.css` becomes `panel-0123456789ab.css`: a changed file has another address. */
function hashed(name: string, bytes: Uint8Array): string {
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, HASH_LENGTH);
  const extension = extname(name);
  return `${name.slice(0, -extension.length)}-${hash}${extension}`;
}

/** What the panel's pages load, and a manifest of the names under which they load it. */
function buildPanelAssets() {
  const to = join(ASSETS, "panel");
  mkdirSync(to, { recursive: true });
  const source = (name: string) => readFileSync(join(ROOT, "src/panel/assets", name));
  const css = transformSync(source("panel.css").toString(), { loader: "css", minify: true }).code;
  const written = new Map<string, Uint8Array>();
  const add = (name: string, bytes: Uint8Array) => {
    const unique = hashed(name, bytes);
    written.set(unique, bytes);
    return unique;
  };
  const style = add("panel.css", Buffer.from(css));
  const icon = add("icon.svg", source("icon.svg"));
  const { script, files } = bundleScript(to);
  for (const [name, bytes] of files) written.set(name, bytes);
  written.set("manifest.json", Buffer.from(JSON.stringify({ style, script, icon })));
  for (const [name, bytes] of written) writeChanged(join(to, name), bytes);
  for (const name of readdirSync(to))
    if (!written.has(name)) rmSync(join(to, name), { force: true });
}

/** The script that every page loads, and the parts that it imports where a page needs them. */
function bundleScript(outdir: string) {
  const { outputFiles } = buildSync({
    entryPoints: [join(ROOT, "src/panel/browser/panel.ts")],
    outdir,
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2024",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
  });
  const files = new Map(
    outputFiles.map(({ path, contents }) => [path.slice(outdir.length + 1), contents]),
  );
  const script = [...files.keys()].find((name) => name.startsWith("panel-"));
  if (script === undefined) throw new Error("esbuild wrote no panel script");
  return { script, files };
}

const CHARACTER_MAPS: Record<string, RegExp> = {
  gb1: /^(?:Adobe-GB1|UniGB|GB)/,
  cns1: /^(?:Adobe-CNS1|UniCNS|CNS|B5|ET|HK)/,
  korea1: /^(?:Adobe-Korea1|UniKS|KSC)/,
  japan1: /^(?:\d|Adobe-Japan1|Add|EUC|Ext|H$|RKSJ|UniJIS|V$)/,
};
/** Maps that documents do not name, which would double the size. */
const UNUSED_MAPS = /-\d$|UTF(?:8|32)|UniJISPro|UniJISX/;

/** Writes a module of base64 texts for each collection of pdfjs-dist's binary CMaps. */
function buildCharacterMaps() {
  const from = join(dirname(require.resolve("pdfjs-dist/package.json")), "cmaps");
  const to = join(DIST, "character-maps");
  mkdirSync(to, { recursive: true });
  const names = readdirSync(from)
    .filter((name) => extname(name) === ".bcmap")
    .map((name) => name.slice(0, -".bcmap".length))
    .filter((name) => !UNUSED_MAPS.test(name));
  const notice = readFileSync(join(from, "LICENSE"), "utf8").replaceAll("*/", "");
  for (const [collection, pattern] of Object.entries(CHARACTER_MAPS)) {
    const included = names.filter((name) => pattern.test(name));
    const maps = included.map((name) => [
      name,
      readFileSync(join(from, `${name}.bcmap`)).toString("base64"),
    ]);
    const text = `/*! ${notice} */\nexport const CMAPS = ${JSON.stringify(Object.fromEntries(maps))};\n`;
    writeChanged(join(to, `${collection}.js`), Buffer.from(text));
  }
}

export function buildAssets() {
  copySwaggerUi();
  buildCharacterMaps();
  buildPanelAssets();
}

if (import.meta.main) {
  // A local server runs this with the mask of its state folder; what is built here is no secret.
  process.umask(0o022);
  buildAssets();
}
