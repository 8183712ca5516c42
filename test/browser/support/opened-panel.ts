import { chromium, type Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";

import { scratchFolder, startService } from "../../end-to-end/local-service.ts";
import { CHROMIUM_ARGUMENTS, findChromium } from "./chromium.ts";
import { signedInVisitor, type Visitor } from "./visitor.ts";
import { ADMIN } from "./world.ts";

const executablePath = findChromium();
export const isWithoutChromium = executablePath === null;

type Panel = { url: string; folder: string; browser: Browser; admin: Visitor };

/** A service, and an administrator before its panel, while the tests of a file run. */
export function openedPanel(options: Parameters<typeof signedInVisitor>[3] = {}): () => Panel {
  let panel: Panel | undefined;
  const ends: (() => unknown)[] = [];
  beforeAll(async () => {
    if (executablePath === null) return;
    const state = scratchFolder();
    ends.push(state.remove);
    const launching = chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS });
    ends.push(async () => (await launching).close());
    const service = await startService(state.path);
    ends.push(() => service.stop());
    const browser = await launching;
    const admin = await signedInVisitor(browser, service.url, ADMIN, options);
    panel = { url: service.url, folder: state.path, browser, admin };
  });
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });
  return () => {
    if (panel === undefined) throw new Error("no Chromium is found");
    return panel;
  };
}
