/**
 * Takes every page of the panel at two widths, in both colours, with usual and overflowing data, to
 * be looked at: `node test/browser/every-page.ts FOLDER`.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";

import { startService } from "../end-to-end/local-service.ts";
import { CHROMIUM_ARGUMENTS, findChromium } from "./support/chromium.ts";
import { PAGES } from "./support/pages.ts";
import { storePayloads } from "./support/store-payloads.ts";
import { signedInVisitor } from "./support/visitor.ts";
import { ADMIN, makeWorld } from "./support/world.ts";

const WIDTHS = { desk: { width: 1_280, height: 900 }, phone: { width: 390, height: 844 } };
const COLOURS = ["light", "dark"] as const;
const EMPTY = ["/panel", "/panel/search", "/panel/sources", "/panel/rags", "/panel/inferences"];
const OVERFLOWING = [
  "/panel/sources/hostile",
  "/panel/rags/hostile",
  "/panel/rags/hostile/scope/narrow",
  "/panel/rags/hostile-scopes/scope",
  "/panel/inferences/hostile-48",
  "/panel/settings/models",
  "/panel/sources",
  "/panel/inferences",
  "/panel/search?rag=hostile&q=window",
  "/panel/tokens",
  "/panel/new/inference",
  "/panel/settings",
];

const [folder = "panel-pages"] = process.argv.slice(2);
const executablePath = findChromium();
if (executablePath === null) throw new Error("no Chromium is found: CHROMIUM names one");
mkdirSync(folder, { recursive: true });
const state = mkdtempSync(join(tmpdir(), "quarry-pages-"));
const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS });
const service = await startService(state);
try {
  const { page } = await signedInVisitor(browser, service.url, ADMIN);
  await takeAll(page, "empty", EMPTY);
  const api = await makeWorld(service.url);
  await takeAll(page, "usual", PAGES);
  await storePayloads(api);
  await takeAll(page, "overflowing", OVERFLOWING);
} finally {
  await browser.close();
  await service.stop();
  rmSync(state, { recursive: true, force: true });
}

async function takeAll(page: Page, kind: string, paths: readonly string[]): Promise<void> {
  for (const [at, path] of paths.entries()) {
    await page.goto(path);
    for (const [width, size] of Object.entries(WIDTHS)) {
      await page.setViewportSize(size);
      for (const colorScheme of COLOURS) {
        await page.emulateMedia({ colorScheme });
        const slug = path
          .slice(1)
          .replaceAll(/[^a-z0-9]+/gi, "-")
          .slice(0, 60);
        const number = String(at).padStart(2, "0");
        const name = `${width}-${colorScheme}-${kind}-${number}-${slug}.png`;
        await page.screenshot({ path: join(folder, name), fullPage: true });
      }
    }
  }
}
