import axe from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";

const PAGE_TIMEOUT_MS = 120_000;

type Credentials = { email: string; password: string };
type Options = NonNullable<Parameters<Browser["newContext"]>[0]>;

/** Somebody who is signed in, and what their browser complained about. */
export type Visitor = { page: Page; context: BrowserContext; complaints: string[] };

export async function signedInVisitor(
  browser: Browser,
  url: string,
  { email, password }: Credentials,
  options: Options = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    baseURL: url,
    // Colours in transition are those of neither scheme.
    reducedMotion: "reduce",
    ...options,
  });
  // On a busy machine a page may take longer than Playwright's half a minute.
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
  const visitor = await visitorIn(context);
  const { page } = visitor;
  await page.goto("/panel/sign-in");
  await page.fill("[name=email]", email);
  await page.fill("[name=password]", password);
  await page.click("button:has-text('Sign in')");
  await page.waitForURL((address) => !address.pathname.endsWith("/sign-in"));
  return visitor;
}

/** A further window of the same browser, with the same session. */
async function visitorIn(context: BrowserContext): Promise<Visitor> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", ({ message }) => complaints.push(`error: ${message}`));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  // A policy report is a console message too; a page's own 4xx is no complaint.
  page.on("console", (message) => {
    const text = message.text();
    if (message.type() === "error" && !text.startsWith("Failed to load resource")) {
      complaints.push(`console: ${text}`);
    }
  });
  return { page, context, complaints };
}

type Finding = { rule: string; targets: string[] };

/** Runs in the page; `%` is the options of axe. */
const RUN_AXE = `axe.run(document, %).then(({ violations }) => violations.map(({ id, nodes }) =>
  ({ rule: id, targets: nodes.slice(0, 3).map(({ target }) => target.join(" ")) })))`;
/** Rules whose outcome depends on colours alone. */
const OF_COLOURS = { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } };

/** Returns axe's findings on the page, in light and in dark colours. */
export async function violationsOn(page: Page): Promise<Finding[]> {
  await page.evaluate(axe.source);
  const run = async (options: object): Promise<Finding[]> =>
    await page.evaluate(
      RUN_AXE.replace("%", JSON.stringify({ resultTypes: ["violations"], ...options })),
    );
  await page.emulateMedia({ colorScheme: "light" });
  const light = await run({});
  await page.emulateMedia({ colorScheme: "dark" });
  return [...light, ...(await run(OF_COLOURS))];
}

/** Pixels by which the page is wider than the window. */
export const overflowOf = async (page: Page): Promise<number> =>
  await page.evaluate(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );

/** Lists what is too wide: the page, or code in a cell, which then takes several lines. */
export async function layoutProblems(page: Page, width: number): Promise<string[]> {
  await page.setViewportSize({ width, height: 900 });
  const overflow = await overflowOf(page);
  const broken = await page
    .locator(":is(td, dd) :is(.mono, code:not(pre code, .code-line code))")
    .evaluateAll((all) =>
      all
        .filter((element) => element.getClientRects().length > 1)
        .map((element) => element.textContent),
    );
  return [
    ...(overflow > 0 ? [`${overflow} pixels too wide for ${width}`] : []),
    ...broken.map((code) => `${code} is broken at ${width}`),
  ];
}

/** Runs in the page: labels of the buttons that stand out by their colour. */
const FIND_CALLS = `[...document.querySelectorAll("main .btn.primary")]
  .filter((one) => one.checkVisibility() && getComputedStyle(one).fontWeight === "550")
  .map((one) => one.textContent)`;

/** The calls to action of a page, where it has more than one. */
export async function callsToAction(page: Page): Promise<string[]> {
  const labels: string[] = await page.evaluate(FIND_CALLS);
  return labels.length > 1 ? labels : [];
}

/** Lets go of a folder over the page's place for it. */
export async function dropped({ page, context }: Visitor, folder: string): Promise<void> {
  const box = await page.locator("[data-drop].ready").boundingBox();
  const at = { x: (box?.x ?? 0) + 20, y: (box?.y ?? 0) + 20 };
  const devtools = await context.newCDPSession(page);
  const data = { items: [], files: [folder], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    await devtools.send("Input.dispatchDragEvent", { type, ...at, data });
  }
  await devtools.detach();
}

/** Addresses of this service that a page leads to, and those that its forms post to. */
export function offeredIn(html: string): { links: string[]; posts: string[] } {
  const [, main = ""] = html.split("<main", 2);
  const addresses = (pattern: RegExp) =>
    [...main.matchAll(pattern)].map(([, address = ""]) => address.replaceAll("&amp;", "&"));
  return {
    links: addresses(/<a [^>]*href="(\/[^"]*)"/g),
    posts: addresses(/<form method="post" action="([^"]*)"/g),
  };
}

/** How many charts of calls the overview shows; none before the first call. */
export async function callChartsOn(page: Page): Promise<number> {
  await page.goto("/panel");
  return await page.locator("svg.chart[aria-label^=Calls]").count();
}

/** Asks the inference whose page is shown. */
export async function askStaffQuestion(page: Page): Promise<string> {
  await page.fill("[name=q]", "How many days of leave are there?");
  await page.click("button:has-text('Ask')");
  await page.locator(".turn:last-of-type:not([aria-busy])").waitFor();
  return await page.locator(".answer").last().innerText();
}
