import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser } from "playwright-core";

import { startWorker } from "../../src/cli/worker/start-worker.ts";
import { applyMigrations, askDatabase, buildIfChanged } from "../../src/cli/worker/workerd.ts";
import { CHROMIUM_ARGUMENTS, findChromium } from "../browser/support/chromium.ts";
import { signedInVisitor } from "../browser/support/visitor.ts";
import { ADMIN } from "../browser/support/world.ts";
import { variablesOf } from "../end-to-end/local-service.ts";
import { freePort } from "../end-to-end/run-cli.ts";
import { FILL, PAGES } from "./support/panel-fill.ts";
import { medianOf } from "./support/time-calls.ts";

const ROUNDS = 5;
/** A slow line: 1.6 Mbit/s, 150 ms to the service and back. */
const SLOW = { downloadThroughput: 200_000, uploadThroughput: 200_000, latency: 150 };
const BYTES_BAR = 100_000;
const USABLE_BAR_MS = 1_000;
const PAGE_BAR_MS = 300;

/**
 * `npm run bench -- panel`: the first page on a slow line, and the time of each page at 100,000
 * files, 300 RAGs and 1,000 tokens. Needs a Chromium.
 */
export async function run(): Promise<Record<string, unknown>> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error("no Chromium is found: CHROMIUM names one");
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS });
  const folder = mkdtempSync(join(tmpdir(), "quarry-panel-"));
  try {
    const slow = await withService(join(folder, "empty"), (url) => onSlowLine(browser, url));
    const pages = await largeInstallation(join(folder, "large"));
    return { slow, pages };
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function withService<Result>(
  stateFolder: string,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const variables = await variablesOf(["RATE_LIMIT_LOGIN:1000"]);
  const port = await freePort();
  const service = await startWorker({ port, stateFolder, variables, tell: () => {} });
  try {
    return await work(service.url);
  } finally {
    await service.stop();
  }
}

/** Bytes on the wire and the time until the page's script ran, with nothing kept from before. */
async function onSlowLine(browser: Browser, url: string) {
  const { page, context } = await signedInVisitor(browser, url, ADMIN);
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  await devtools.send("Network.setCacheDisabled", { cacheDisabled: true });
  await devtools.send("Network.emulateNetworkConditions", { offline: false, ...SLOW });
  let bytes = 0;
  devtools.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    bytes = 0;
    await page.goto("/panel", { waitUntil: "networkidle" });
    // Modules have run when this event is sent.
    times.push(Number(await page.evaluate(LOADED)));
  }
  await context.close();
  const usableMs = Math.round(medianOf(times));
  console.log(`first page: ${bytes} bytes with its assets (bar ${BYTES_BAR}), usable after`);
  console.log(`${usableMs} ms at 1.6 Mbit/s and 150 ms (bar ${USABLE_BAR_MS})`);
  if (bytes > BYTES_BAR || usableMs > USABLE_BAR_MS) process.exitCode = 1;
  return { bytes, usableMs };
}

const LOADED = `performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd`;

async function largeInstallation(stateFolder: string) {
  await buildIfChanged("database");
  await applyMigrations(stateFolder);
  for (const statement of FILL) await askDatabase(stateFolder, statement);
  return await withService(stateFolder, timePages);
}

async function timePages(url: string) {
  const session = await fetch(`${url}/panel/api/session`, {
    method: "POST",
    body: JSON.stringify(ADMIN),
  });
  const Cookie = session.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  const figures = [];
  for (const path of PAGES) {
    const times: number[] = [];
    let kilobytes = 0;
    for (let round = 0; round <= ROUNDS; round++) {
      const start = performance.now();
      const answer = await fetch(url + path, { headers: { Cookie } });
      kilobytes = Math.round((await answer.text()).length / 1_000);
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
      // The first answer of each page compiles it.
      if (round > 0) times.push(performance.now() - start);
    }
    const p50Ms = Math.round(medianOf(times));
    if (p50Ms > PAGE_BAR_MS) process.exitCode = 1;
    figures.push({ path, kilobytes, p50Ms });
  }
  console.table(figures);
  return figures;
}
