import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

import { DOCUMENT_LIMIT_BYTES } from "../../../src/core/document-limit.ts";
import { askStaffQuestion } from "../../browser/support/visitor.ts";

/** Longer than a file takes to be indexed. */
const INDEXED_WITHIN_MS = 120_000;
const QUESTION = "How many days of leave are there?";
const MANY = 50;

const DOCUMENTS = {
  "leave.md": "# Leave\n\nFull-time employees have 26 days of paid leave a year.",
  "trains.md": "# Trains\n\nSecond class, booked two weeks before the journey. No leave is needed.",
  "empty.md": "",
};

/** Somebody with a mouse: counts clicks; a text that is typed counts as one. */
class Hand {
  readonly page: Page;
  readonly folder: string;
  clicks = 0;
  texts = 0;

  constructor(page: Page, folder: string) {
    this.page = page;
    this.folder = folder;
  }

  async click(selector: string): Promise<void> {
    await this.page.locator(selector).first().click();
    this.clicks += 1;
  }

  async place(name: string): Promise<void> {
    await this.click(`nav.places a:has-text('${name}')`);
  }

  async type(selector: string, text: string): Promise<void> {
    await this.page.fill(selector, text);
    this.texts += 1;
  }

  /** The dialog of the system takes two clicks: choose all, confirm. */
  async upload(files: Record<string, string>): Promise<void> {
    const paths = Object.entries(files).map(([name, text]) => {
      writeFileSync(join(this.folder, name), text);
      return join(this.folder, name);
    });
    const choosing = this.page.waitForEvent("filechooser");
    await this.click("label:has-text('Choose files')");
    await (await choosing).setFiles(paths);
    this.clicks += 2;
  }
}

async function fromNothing(hand: Hand): Promise<void> {
  const { page } = hand;
  await page.goto("/panel");
  await hand.click("button:has-text('Upload files')");
  await hand.upload(DOCUMENTS);
  await page.locator("td a", { hasText: "leave.md" }).waitFor();
  await hand.click(".next-step button:has-text('Create RAG')");
  await hand.click("button:has-text('Create inference')");
  hand.clicks += 1;
  hand.texts += 1;
  // Asked again until the index holds the file: what a person does who is too early.
  const until = Date.now() + INDEXED_WITHIN_MS;
  while (!(await askStaffQuestion(page)).includes("26 days")) {
    if (Date.now() > until) throw new Error("no answer two minutes after the upload");
  }
}

async function missingFile(hand: Hand): Promise<void> {
  const { page } = hand;
  await page.goto("/panel");
  await hand.place("Sources");
  await hand.click("td a:has-text('Documents')");
  await hand.type("input[type=search]", "empty");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/sources/documents?*path=empty*");
  await hand.click("td a:has-text('empty.md')");
  await page.locator(".problem", { hasText: "no text found" }).first().waitFor();
}

async function tokenForOneRag(hand: Hand): Promise<void> {
  const { page } = hand;
  await page.goto("/panel");
  await hand.place("RAGs");
  await hand.click("td a:has-text('Documents')");
  await hand.click("a:has-text('Create token for this RAG')");
  await hand.type("[name=name]", "Intranet");
  await hand.click("button:has-text('Create token')");
  await page.locator(".once code", { hasText: "qry_" }).waitFor();
}

async function compareSettings(hand: Hand): Promise<void> {
  const { page } = hand;
  await page.goto("/panel");
  await hand.place("Search");
  await page.selectOption("[name=with]", "rag:documents");
  hand.clicks += 2;
  await hand.type("[name=q]", QUESTION);
  await hand.click("button:has-text('Compare two settings')");
  await page.selectOption("[name='b.reranker']", "embedded/lexical");
  hand.clicks += 2;
  await hand.click("button:has-text('Search both')");
  await page.locator(".moved").first().waitFor();
}

async function uploadMany(hand: Hand): Promise<void> {
  const { page } = hand;
  await page.goto("/panel");
  await hand.place("Sources");
  await hand.click("td a:has-text('Documents')");
  const small = Array.from({ length: MANY - 1 }, (_, at) => [`note-${at}.md`, `# Note ${at}`]);
  const large = { "scans.md": "a".repeat(DOCUMENT_LIMIT_BYTES + 1) };
  await hand.upload({ ...Object.fromEntries(small), ...large });
  await page.locator("[role=status]", { hasText: `${MANY - 1} uploaded, 1 failed` }).waitFor();
  await page.locator("[data-drop-failed]", { hasText: "scans.md" }).waitFor();
}

const TASKS: [name: string, work: (hand: Hand) => Promise<void>][] = [
  ["from nothing to an answered question", fromNothing],
  ["find out why a file is missing, by its name", missingFile],
  ["give a program a token for one RAG", tokenForOneRag],
  ["compare two settings of a search", compareSettings],
  [`upload ${MANY} files, one of them too large`, uploadMany],
];

export type TaskFigures = { task: string; clicks: number; texts: number; seconds: number };

/** The five tasks with a mouse, in a service that holds nothing. Files are written to `folder`. */
export async function doTasks(page: Page, folder: string): Promise<TaskFigures[]> {
  const figures: TaskFigures[] = [];
  for (const [task, work] of TASKS) {
    const hand = new Hand(page, folder);
    const start = performance.now();
    await work(hand);
    const seconds = Math.round((performance.now() - start) / 100) / 10;
    figures.push({ task, clicks: hand.clicks, texts: hand.texts, seconds });
  }
  return figures;
}
