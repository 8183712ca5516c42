import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

import type { RunningWorker } from "../../src/cli/worker/start-worker.ts";
import { CHROMIUM_ARGUMENTS, findChromium } from "../browser/support/chromium.ts";
import { overflowOf, violationsOn } from "../browser/support/visitor.ts";
import { startCertifiedProvider } from "../doubles/openid/certified-provider.ts";
import { scratchFolder, startService } from "./local-service.ts";
import { freePort, startCli } from "./run-cli.ts";

const CLIENT = { id: "quarry", secret: "the client's secret of 32 characters" };
const PEOPLE = {
  ann: { email: "ann@example.com", email_verified: true, groups: ["admins"] },
  bob: { email: "bob@example.com", email_verified: false, groups: ["admins"] },
};
const PAGE_TIMEOUT_MS = 120_000;
/** Where the pages are kept as pictures, to be looked at. */
const PICTURES = process.env["PICTURES"];

const executablePath = findChromium();
let state: ReturnType<typeof scratchFolder>;
let service: RunningWorker;
let browser: Browser;
let provider: Awaited<ReturnType<typeof startCertifiedProvider>>;

beforeAll(async () => {
  if (executablePath === null) return;
  state = scratchFolder();
  [service, browser] = await Promise.all([
    startService(state.path, undefined, ["ALLOW_PRIVATE_URLS:true"]),
    chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS }),
  ]);
  const redirectUri = `${service.url}/panel/sign-in/openid/callback`;
  provider = await startCertifiedProvider(await freePort(), { ...CLIENT, redirectUri }, PEOPLE);
});

afterAll(async () => {
  await provider?.stop();
  await browser?.close();
  await service?.stop();
  state?.remove();
});

async function newPage(javaScriptEnabled: boolean): Promise<Page> {
  const context = await browser.newContext({
    baseURL: service.url,
    javaScriptEnabled,
    // Colours in transition are those of neither scheme.
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
  // The provider's pages ask for a font of another host.
  await context.route(
    ({ hostname }) => hostname !== "localhost" && hostname !== "127.0.0.1",
    async (route) => {
      await route.abort();
    },
  );
  return await context.newPage();
}

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  for (const [width, height] of [
    [1_280, 900],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const path = join(PICTURES, `${name}-${width}-${colorScheme}.png`);
      await page.screenshot({ path, fullPage: true });
    }
  }
}

/** What axe finds, and what is wider than a phone. */
async function problemsOn(page: Page, name: string): Promise<unknown[]> {
  const found: unknown[] = await violationsOn(page);
  await page.setViewportSize({ width: 390, height: 844 });
  const overflow = await overflowOf(page);
  await picture(page, name);
  return overflow > 0 ? [...found, `${overflow} pixels too wide`] : found;
}

async function signInAtProvider(page: Page, name: string): Promise<void> {
  await page.goto("/panel/settings?q=ann");
  await page.click("a:has-text('Continue with Example')");
  await page.fill("[name=login]", name);
  await page.fill("[name=password]", "any");
  await page.click("button:has-text('Sign-in')");
  await page.click("button:has-text('Continue')");
}

test.skipIf(executablePath === null)(
  "an administrator sets the provider up, tests it and sees what is wrong",
  async () => {
    const page = await newPage(true);
    await page.goto("/panel/sign-in");
    await page.fill("[name=email]", "admin@localhost");
    await page.fill("[name=password]", "quarry");
    await page.click("button:has-text('Sign in')");
    await page.goto("/panel/settings/sign-in");
    expect(await page.locator("main").innerText()).toContain(
      `${service.url}/panel/sign-in/openid/callback`,
    );
    await page.fill("[name=name]", "Example");
    await page.fill("[name=issuer]", provider.issuer);
    await page.fill("[name=clientId]", CLIENT.id);
    await page.fill("[name=clientSecret]", "not the secret");
    await page.fill("[name=domains]", "example.com");
    await page.fill("[name=adminClaim]", "groups");
    await page.fill("[name=adminValues]", "admins");
    await page.click("button:text-is('Save')");
    await page.getByText("The settings are saved.").waitFor();
    await page.click("button:has-text('Test the saved settings')");
    const told = page.getByRole("status", { name: "What the test found" });
    expect(await told.innerText()).toContain("Wrong client");
    expect(await problemsOn(page, "settings")).toEqual([]);
    await page.fill("[name=clientSecret]", CLIENT.secret);
    await page.check("[name=enabled]");
    await page.click("button:text-is('Save')");
    await page.getByText("The settings are saved.").waitFor();
    await page.click("button:has-text('Test the saved settings')");
    expect(await told.innerText()).toContain("It knows the client and its secret.");
    expect(await told.innerText()).not.toContain("failed");
  },
);

test.skipIf(executablePath === null).for([true, false])(
  "a browser signs in with a certified provider; with script: %s",
  async (javaScriptEnabled) => {
    const page = await newPage(javaScriptEnabled);
    const referrers: string[] = [];
    page.on("request", (request) => referrers.push(request.headers()["referer"] ?? ""));
    await page.goto("/panel/sign-in");
    if (javaScriptEnabled) expect(await problemsOn(page, "sign-in")).toEqual([]);
    await signInAtProvider(page, "ann");
    await page.waitForURL("**/panel/settings?q=ann");
    expect(await page.locator("main").innerText()).toContain("ann@example.com");
    expect(referrers.filter((one) => /code=|state=/.test(one))).toEqual([]);
    await page.goBack();
    expect(await page.locator("body").innerText()).not.toContain("defect");
  },
);

test.skipIf(executablePath === null)("an unverified address is refused in words", async () => {
  const page = await newPage(true);
  await signInAtProvider(page, "bob");
  expect(await page.getByRole("alert").innerText()).toContain("has not verified your e-mail");
  expect(await problemsOn(page, "refused")).toEqual([]);
  await page.goto("/panel/account");
  expect(new URL(page.url()).pathname).toBe("/panel/sign-in");
});

test.skipIf(executablePath === null)("quarry admin-link lets an administrator in", async () => {
  const args = ["admin-link", "--state", state.path, "--url", service.url];
  const { stdout, stderr } = await startCli("quarry", args).finished;
  expect(stderr).toContain("For admin@localhost, once");
  const page = await newPage(true);
  await page.goto(stdout.trim());
  expect(await problemsOn(page, "link")).toEqual([]);
  await page.click("button:has-text('Sign in')");
  await page.waitForURL("**/panel");
  const other = await newPage(true);
  expect((await other.goto(stdout.trim()))?.status()).toBe(401);
});
