/**
 * Takes the README's pictures of a running `npm start`, so that they stay true:
 * `node test/browser/screenshots.ts http://localhost:8787 PASSWORD`.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";

import { CHROMIUM_ARGUMENTS, findChromium } from "./support/chromium.ts";
import { signedInVisitor } from "./support/visitor.ts";
import { ADMIN } from "./support/world.ts";

const IMAGES = join(import.meta.dirname, "../../docs/images");
const VIEWPORT = { width: 1_120, height: 700 };
const QUESTION = "How long can MossGel be stored, and at what temperature?";
const SETS = "/panel/api/question-sets";
const SET = `${SETS}/readme`;

/** The evaluation's question, and the file of the sample that must be found. */
const EXPECTED = `question,file
How many days of leave are there?,handbook/leave.md
What must be done when a hall is too hot?,runbooks/hall-overheating.md
How is a laboratory contamination handled?,runbooks/laboratory-contamination.md
How long can MossGel be stored?,products/mossgel.md
What does a day in a hotel cost at most?,handbook/expenses.md
Which password rules apply?,handbook/information-security.md
Who is on call in the second quarter?,records/on-call-2026-q2.csv
What is the price of the DipLogger?,products/price-list-2026.csv
How are boots cleaned against foreign species?,handbook/biosecurity.md
What happens when a pump fails?,runbooks/pump-failure.md
May I work from home?,handbook/flexible-work.md
How long is the guarantee on a FenMat?,products/warranty.md
Where can I report wrongdoing?,handbook/speak-up.md
When is the season opened?,runbooks/season-opening.md
Who may drive the tracked vehicle?,handbook/vehicles.md
Which supplier needs two offers?,handbook/purchasing.md
Why did the cold room fail in January?,incidents/INC-2026-01-cold-room.md
Wie viel Urlaub gibt es?,de/urlaub-und-arbeitszeit.md`;

type Run = { id: string; status: string };

/** Runs the questions with a setting to the end; answers the run's id. */
async function ran({ request }: Page, headers: { Origin: string }, setting: object) {
  const started = await request.post(`${SET}/runs`, { headers, data: { setting } });
  const { id } = (await started.json()) as Run;
  for (;;) {
    const run = (await (await request.get(`${SET}/runs/${id}`)).json()) as Run;
    if (run.status !== "running") return id;
  }
}

async function openComparison(page: Page, base: string) {
  const headers = { Origin: base };
  const data = { name: "Handbook questions", identifier: "readme", rag: "sample" };
  await page.request.delete(SET, { headers });
  await page.request.post(SETS, { headers, data });
  const csv = { headers: { ...headers, "Content-Type": "text/csv" }, data: EXPECTED };
  await page.request.post(`${SET}/import`, csv);
  const first = await ran(page, headers, {});
  const second = await ran(page, headers, { searchMode: "semantic" });
  const runs = new URLSearchParams({ first, second }).toString();
  await page.goto(`/panel/evaluation/readme/runs/compare?${runs}`, { waitUntil: "networkidle" });
}

async function openAnswer(page: Page) {
  await page.goto("/panel/search?with=inference:sample");
  await page.fill("[name=q]", QUESTION);
  await page.press("[name=q]", "Enter");
  await page.locator(".hit").first().waitFor();
  await page.waitForLoadState("networkidle");
}

const PICTURES: Record<string, (page: Page, base: string) => Promise<unknown>> = {
  "overview.png": (page) => page.goto("/panel", { waitUntil: "networkidle" }),
  "search.png": openAnswer,
  "evaluation.png": openComparison,
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
  for (const [name, open] of Object.entries(PICTURES)) {
    await open(page, url);
    await page.screenshot({ path: join(IMAGES, name) });
  }
} finally {
  await browser.close();
}
