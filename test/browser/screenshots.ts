/**
 * Takes the README's pictures of a running `npm start`, so that they stay true:
 * `node test/browser/screenshots.ts http://localhost:8787 PASSWORD`.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

import { CHROMIUM_ARGUMENTS, findChromium } from "./support/chromium.ts";
import { signedInVisitor } from "./support/visitor.ts";
import { ADMIN } from "./support/world.ts";

const IMAGES = join(import.meta.dirname, "../../docs/images");
const VIEWPORT = { width: 1_120, height: 700 };
const PICTURES = {
  "overview.png": "/panel",
  "search.png": "/panel/search?rag=sample&q=how+deep+is+the+water+table+under+the+bog",
};

const [url = "http://localhost:8787", password = ADMIN.password] = process.argv.slice(2);
const executablePath = findChromium();
if (executablePath === null) throw new Error("no Chromium is found: CHROMIUM names one");
const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS });
try {
  const credentials = { ...ADMIN, password };
  const options = { viewport: VIEWPORT, colorScheme: "light" } as const;
  const { page } = await signedInVisitor(browser, url, credentials, options);
  mkdirSync(IMAGES, { recursive: true });
  for (const [name, path] of Object.entries(PICTURES)) {
    await page.goto(path, { waitUntil: "networkidle" });
    await page.screenshot({ path: join(IMAGES, name) });
  }
} finally {
  await browser.close();
}
