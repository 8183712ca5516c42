/** Writes dist/public and what the PDF reader loads from dist, before wrangler and the tests. */
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, extname, join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

import { buildSync } from "esbuild";

import { replaceFile } from "../replace-file.ts";

const require = createRequire(import.meta.url);
const ROOT = join(import.meta.dirname, "../../..");
const DIST = join(ROOT, "dist");
const ASSETS = join(DIST, "public/assets");

/** The two files that `@hono/swagger-ui` asks for below its `baseUrl`. */
const SWAGGER_FILES = ["swagger-ui.css", "swagger-ui-bundle.js"];

function copySwaggerUi() {
  const from = dirname(require.resolve("swagger-ui-dist/package.json"));
  const to = join(ASSETS, "swagger-ui-dist");
  for (const name of SWAGGER_FILES) {
    replaceFile(join(to, name), readFileSync(join(from, name)), DIST);
  }
}

/** A changed file has another address, which the manifest names. */
function buildPanelAssets() {
  const outdir = join(ASSETS, "panel");
  const entries = ["browser/panel.ts", "assets/panel.css", "assets/icon.svg"];
  const { outputFiles } = buildSync({
    entryPoints: entries.map((name) => join(ROOT, "src/panel", name)),
    outdir,
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2024",
    loader: { ".svg": "copy" },
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
  });
  const outputs = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  const nameOf = (pattern: RegExp) => {
    const match = [...outputs.keys()].find((name) => pattern.test(name));
    if (match === undefined) throw new Error(`esbuild wrote nothing named ${pattern}`);
    return match;
  };
  const manifest = {
    style: nameOf(/^panel-\w+\.css$/),
    script: nameOf(/^panel-\w+\.js$/),
    icon: nameOf(/^icon-\w+\.svg$/),
  };
  outputs.set("manifest.json", Buffer.from(JSON.stringify(manifest)));
  for (const [name, bytes] of outputs) replaceFile(join(outdir, name), bytes, DIST);
  for (const name of readdirSync(outdir)) {
    if (!outputs.has(name)) rmSync(join(outdir, name), { force: true });
  }
}

const CHARACTER_MAPS: Record<string, RegExp> = {
  gb1: /^(?:Adobe-GB1|UniGB|GB)/,
  cns1: /^(?:Adobe-CNS1|UniCNS|CNS|B5|ET|HK)/,
  korea1: /^(?:Adobe-Korea1|UniKS|KSC)/,
  japan1: /^(?:\d|Adobe-Japan1|Add|EUC|Ext|H$|RKSJ|UniJIS|V$)/,
};
/** Maps that documents do not name, which would double the size. */
const UNUSED_MAPS = /-\d$|UTF(?:8|32)|UniJISPro|UniJISX/;

/** The best quality saves an eighth, and takes seconds of each first start. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** A module for each collection of pdfjs-dist's CMaps: where each ends, and all of them, packed. */
function buildCharacterMaps() {
  const from = join(dirname(require.resolve("pdfjs-dist/package.json")), "cmaps");
  const to = join(DIST, "character-maps");
  const names = readdirSync(from)
    .filter((name) => extname(name) === ".bcmap")
    .map((name) => name.slice(0, -".bcmap".length))
    .filter((name) => !UNUSED_MAPS.test(name));
  const notice = readFileSync(join(from, "LICENSE"), "utf8").replaceAll("*/", "");
  for (const [collection, pattern] of Object.entries(CHARACTER_MAPS)) {
    const included = names.filter((name) => pattern.test(name));
    const maps = included.map((name) => readFileSync(join(from, `${name}.bcmap`)));
    let end = 0;
    const ends = included.map((name, at) => [name, (end += maps[at]?.length ?? 0)]);
    const packed = brotliCompressSync(Buffer.concat(maps), QUALITY).toString("base64");
    const text = `/*! ${notice} */\nexport const ENDS = ${JSON.stringify(ends)};\nexport const PACKED = "${packed}";\n`;
    replaceFile(join(to, `${collection}.js`), text, DIST);
  }
}

/** pdf.js looks at a clock, which stands still in a Worker; it gives turns by operators instead. */
const TURNS = {
  "this.checked<TimeSlotManager.CHECK_TIME_EVERY?!1:(this.checked=0,this.endTime<=Date.now())}":
    "this.checked>=1e3}turn(){return this.checked<1e3?void 0:new Promise(e=>setTimeout(e))}",
  "{next(Cr);return}flushTextContentItem()": "{next(M.turn());return}flushTextContentItem()",
};

function buildPdfReader() {
  let text = readFileSync(join(dirname(require.resolve("unpdf")), "pdfjs.mjs"), "utf8");
  for (const [from, to] of Object.entries(TURNS)) {
    if (text.split(from).length !== 2) throw new Error(`pdf.js has no single ${from}`);
    text = text.replace(from, to);
  }
  replaceFile(join(DIST, "pdfjs.js"), `/*! Changed: it gives turns. */\n${text}`, DIST);
}

export function buildAssets() {
  buildPdfReader();
  copySwaggerUi();
  buildCharacterMaps();
  buildPanelAssets();
}
