/**
 * Takes every page of the panel at two widths, in both colours, with usual and overflowing data, to
 * be looked at: `node test/browser/every-page.ts FOLDER`. Sheets of several pages stand beside them.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";

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
const PER_SHEET = { desk: 6, phone: 10 };

const [folder = "panel-pages"] = process.argv.slice(2);
const executablePath = findChromium();
if (executablePath === null) throw new Error("no Chromium is found: CHROMIUM names one");
mkdirSync(folder, { recursive: true });
const state = mkdtempSync(join(tmpdir(), "quarry-pages-"));
const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS });
const service = await startService(state);
try {
  const { page } = await signedInVisitor(browser, service.url, ADMIN);
  const taken: string[] = [];
  taken.push(...(await takeAll(page, "empty", EMPTY)));
  const api = await makeWorld(service.url);
  taken.push(...(await takeAll(page, "usual", PAGES)));
  await storePayloads(api);
  taken.push(...(await takeAll(page, "overflowing", OVERFLOWING)));
  await makeSheets(browser, taken);
} finally {
  await browser.close();
  await service.stop();
  rmSync(state, { recursive: true, force: true });
}

async function takeAll(page: Page, kind: string, paths: readonly string[]): Promise<string[]> {
  const names: string[] = [];
  for (const [at, path] of paths.entries()) {
    await page.goto(path);
    for (const [width, size] of Object.entries(WIDTHS)) {
      await page.setViewportSize(size);
      for (const colorScheme of COLOURS) {
        await page.emulateMedia({ colorScheme });
        const shown = path
          .slice(1)
          .replaceAll(/[^a-z0-9]+/gi, "-")
          .slice(0, 60);
        const number = String(at).padStart(2, "0");
        const name = `${width}-${colorScheme}-${kind}-${number}-${shown}.png`;
        await page.screenshot({ path: join(folder, name), fullPage: true });
        names.push(name);
      }
    }
  }
  return names;
}

async function makeSheets(of: Browser, names: string[]): Promise<void> {
  const page = await of.newPage({ viewport: { width: 1_920, height: 1_200 } });
  const groups = Map.groupBy(names, (name) => name.split("-").slice(0, 2).join("-"));
  for (const [group, all] of groups) {
    const isDesk = group.startsWith("desk");
    const size = isDesk ? PER_SHEET.desk : PER_SHEET.phone;
    for (let from = 0; from < all.length; from += size) {
      const shown = all.slice(from, from + size).map(
        (name) => `<figure><figcaption>${name}</figcaption>
          <img src="${pathToFileURL(resolve(folder, name)).href}"></figure>`,
      );
      const columns = isDesk ? 3 : 5;
      const style = `body{display:grid;grid-template-columns:repeat(${columns},1fr);gap:8px}
        figure{margin:0;max-height:${isDesk ? 580 : 1_160}px;overflow:hidden} img{width:100%}`;
      const sheet = join(folder, `sheet-${group}-${String(from / size).padStart(2, "0")}`);
      await page.goto("about:blank");
      writeFileSync(`${sheet}.html`, `<style>${style}</style>${shown.join("")}`);
      await page.goto(pathToFileURL(resolve(`${sheet}.html`)).href);
      await page.screenshot({ path: `${sheet}.png`, fullPage: true });
    }
  }
}
