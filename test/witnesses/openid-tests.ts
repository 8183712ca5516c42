import type { Browser, BrowserContext, Page } from "playwright-core";
import { expect, test } from "vitest";

import type { RunningWorker } from "../../src/cli/worker/start-worker.ts";
import { overflowOf, violationsOn } from "../browser/support/visitor.ts";
import { freePort, startCli } from "../end-to-end/run-cli.ts";
import { startCertifiedProvider } from "./certified-provider.ts";

const CLIENT = { id: "quarry", secret: "the client's secret of 32 characters" };
const PEOPLE = {
  ann: { email: "ann@example.com", email_verified: true, groups: ["admins"] },
  bob: { email: "bob@example.com", email_verified: false, groups: ["admins"] },
};
const PAGE_TIMEOUT_MS = 120_000;

/** A service that may ask this machine, and a certified provider on it. */
export type World = {
  service: RunningWorker;
  /** The folder of its state. */
  state: string;
  browser: Browser;
  /** A browser in which the administrator is signed in. */
  admin: BrowserContext;
  provider: Awaited<ReturnType<typeof startCertifiedProvider>>;
};

export async function startProvider({ url }: RunningWorker): Promise<World["provider"]> {
  const redirectUri = `${url}/panel/sign-in/openid/callback`;
  return await startCertifiedProvider(await freePort(), { ...CLIENT, redirectUri }, PEOPLE);
}

async function newPage({ browser, service }: World, javaScriptEnabled = true): Promise<Page> {
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

/** Lists axe's findings, and content that is wider than a phone. */
async function problemsOn(page: Page): Promise<unknown[]> {
  const violations: unknown[] = await violationsOn(page);
  await page.setViewportSize({ width: 390, height: 844 });
  const overflow = await overflowOf(page);
  return overflow > 0 ? [...violations, `${overflow} pixels too wide`] : violations;
}

async function signInAtProvider(page: Page, name: string): Promise<void> {
  await page.goto("/panel/settings?q=ann");
  await page.click("a:has-text('Continue with Example')");
  await page.fill("[name=login]", name);
  await page.fill("[name=password]", "any");
  await page.click("button:has-text('Sign-in')");
  await page.click("button:has-text('Continue')");
}

/** In order: the first one sets the provider up. */
export function openidTests(world: () => World): void {
  // It mostly waits for wrangler, next to the programs.
  test.concurrent("quarry admin-link lets an administrator in", async () => {
    const { state, service } = world();
    const args = ["admin-link", "--state", state, "--url", service.url];
    const { stdout, stderr } = await startCli("quarry", args).finished;
    expect(stderr).toContain("For admin@localhost, once");
    const page = await newPage(world());
    await page.goto(stdout.trim());
    expect(await problemsOn(page)).toEqual([]);
    await page.click("button:has-text('Sign in')");
    await page.waitForURL("**/panel");
    const secondPage = await newPage(world());
    expect((await secondPage.goto(stdout.trim()))?.status()).toBe(401);
  });

  test("an administrator sets the provider up, tests it and sees what is wrong", async () => {
    const { admin, provider, service } = world();
    const page = await admin.newPage();
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
    const report = page.getByRole("status", { name: "What the test found" });
    expect(await report.innerText()).toContain("Wrong client");
    expect(await problemsOn(page)).toEqual([]);
    await page.fill("[name=clientSecret]", CLIENT.secret);
    await page.check("[name=enabled]");
    await page.click("button:text-is('Save')");
    await page.getByText("The settings are saved.").waitFor();
    await page.click("button:has-text('Test the saved settings')");
    expect(await report.innerText()).toContain("It knows the client and its secret.");
    expect(await report.innerText()).not.toContain("failed");
  });

  test.for([true, false])(
    "a browser signs in with a certified provider; with script: %s",
    async (javaScriptEnabled) => {
      const page = await newPage(world(), javaScriptEnabled);
      const referrers: string[] = [];
      page.on("request", (request) => referrers.push(request.headers()["referer"] ?? ""));
      await page.goto("/panel/sign-in");
      if (javaScriptEnabled) expect(await problemsOn(page)).toEqual([]);
      await signInAtProvider(page, "ann");
      await page.waitForURL("**/panel/settings?q=ann");
      expect(await page.locator("main").innerText()).toContain("ann@example.com");
      expect(referrers.filter((referrer) => /code=|state=/.test(referrer))).toEqual([]);
      await page.goBack();
      expect(await page.locator("body").innerText()).not.toContain("defect");
    },
  );

  test("an unverified address is refused in words", async () => {
    const page = await newPage(world());
    await signInAtProvider(page, "bob");
    expect(await page.getByRole("alert").innerText()).toContain("has not verified your e-mail");
    expect(await problemsOn(page)).toEqual([]);
    await page.goto("/panel/account");
    expect(new URL(page.url()).pathname).toBe("/panel/sign-in");
  });
}
