/** Writes the browser assets to dist/public; wrangler and the tests run it before they start. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);
const PUBLIC = join(import.meta.dirname, "../../dist/public");

/** The two files that `@hono/swagger-ui` asks for below its `baseUrl`. */
const SWAGGER_FILES = ["swagger-ui.css", "swagger-ui-bundle.js"];

function copySwaggerUi() {
  const from = dirname(require.resolve("swagger-ui-dist/package.json"));
  const to = join(PUBLIC, "assets/swagger-ui-dist");
  mkdirSync(to, { recursive: true });
  for (const name of SWAGGER_FILES) copyChanged(join(from, name), join(to, name));
}

/** Copies changed files only: a running server watches the folder and restarts on each write. */
function copyChanged(from: string, to: string) {
  const bytes = readFileSync(from);
  if (!existsSync(to) || !readFileSync(to).equals(bytes)) writeFileSync(to, bytes);
}

export function buildAssets() {
  copySwaggerUi();
}

if (import.meta.main) buildAssets();
