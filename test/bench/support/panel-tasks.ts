import type { Page } from "playwright-core";

import { Keyboard } from "./panel-keyboard.ts";

type Task = { name: string; work: (keyboard: Keyboard, files: string[]) => Promise<void> };

/** Longer than a file takes to be indexed. */
const INDEXED_WITHIN_MS = 60_000;
const QUESTION = "How many days of leave are there?";

async function fromNothing(keyboard: Keyboard, files: string[]): Promise<void> {
  const { page } = keyboard;
  await page.goto("/panel");
  await keyboard.skip();
  await keyboard.open(/BUTTON.*Upload files/, "**/sources/documents");
  await keyboard.skip();
  await keyboard.to(/INPUT\|files/);
  const choosing = page.waitForEvent("filechooser");
  await keyboard.press("Space");
  // The dialog of the system: choose all, confirm.
  await (await choosing).setFiles(files);
  await keyboard.press("Control+a", "Enter");
  await keyboard.to(/BUTTON.*Upload/);
  await keyboard.press("Enter");
  await page.locator("td a", { hasText: "leave.md" }).waitFor();
  await keyboard.press("g", "o");
  await page.waitForURL(/\/panel$/);
  await keyboard.skip();
  await keyboard.open(/A\|.*First steps/, "**/first-steps");
  await keyboard.skip();
  await keyboard.open(/BUTTON.*Make a RAG/, "**/first-steps");
  await keyboard.skip();
  await keyboard.open(/A\|.*Ask something/, "**/search?*");
  await keyboard.type(QUESTION);
  await keyboard.follow("**/search?*q=*");
  await untilFound(page);
}

/** Asks again until the index holds the file: what a person does who is too early. */
async function untilFound(page: Page): Promise<void> {
  const until = Date.now() + INDEXED_WITHIN_MS;
  while ((await page.locator(".hit").count()) === 0) {
    if (Date.now() > until) throw new Error("nothing is found a minute after the upload");
    await page.reload();
  }
}

async function missingFile(keyboard: Keyboard): Promise<void> {
  await keyboard.page.goto("/panel");
  await keyboard.skip();
  await keyboard.open(/A\|.*See the file/, "**/file?path=*");
  await keyboard.page.locator(".problem", { hasText: "no text found" }).waitFor();
}

async function tokenForOneRag(keyboard: Keyboard): Promise<void> {
  const { page } = keyboard;
  await page.goto("/panel");
  await keyboard.press("g", "r");
  await page.waitForURL("**/rags");
  await keyboard.skip();
  await keyboard.open(/^A\|.*Documents/, "**/rags/documents");
  await keyboard.skip();
  await keyboard.open(/A\|.*Create token for this/, "**/tokens/new?*");
  await keyboard.type("Intranet");
  await keyboard.follow("**/tokens");
  await page.locator(".once code", { hasText: "qry_" }).waitFor();
}

async function betterSearch(keyboard: Keyboard): Promise<void> {
  const { page } = keyboard;
  await page.goto("/panel");
  await keyboard.press("/");
  await page.waitForURL("**/search");
  await keyboard.type(QUESTION);
  await keyboard.follow("**/search?*q=*");
  await keyboard.press("/");
  await keyboard.open(/BUTTON.*Compare with/, "**/search?*compare=on*");
  await keyboard.press("/");
  await keyboard.to(/SELECT\|b\.reranker/);
  await keyboard.press("End");
  await keyboard.open(/BUTTON.*Search with both/, "**/search?*b.reranker=embedded*");
  await page.locator(".moved").first().waitFor();
  await keyboard.press("g", "r");
  await page.waitForURL("**/rags");
  await keyboard.skip();
  await keyboard.open(/^A\|.*Documents/, "**/rags/documents");
  await keyboard.skip();
  await keyboard.open(/A\|.*Settings/, "**/settings");
  await keyboard.skip();
  await keyboard.to(/INPUT\|reranker/);
  await keyboard.type("embedded/lexical");
  await keyboard.follow("**/rags/documents");
}

/** A source that a RAG uses says so; the RAG goes first, then the source by its name. */
async function sourceAway(keyboard: Keyboard): Promise<void> {
  const { page } = keyboard;
  await page.goto("/panel/rags/documents");
  await keyboard.skip();
  await keyboard.open(/^A\|.*Remove\|$/, "**/rags/documents/remove");
  await keyboard.skip();
  await keyboard.open(/BUTTON.*Remove it/, "**/rags");
  await keyboard.press("g", "s");
  await page.waitForURL("**/sources");
  await keyboard.skip();
  await keyboard.open(/^A\|.*Documents/, "**/sources/documents");
  await keyboard.skip();
  await keyboard.open(/A\|.*Settings/, "**/settings");
  await keyboard.skip();
  await keyboard.open(/^A\|.*Remove/, "**/sources/documents/remove");
  await keyboard.skip();
  await keyboard.to(/INPUT\|confirmation/);
  await keyboard.type("Documents");
  await keyboard.follow("**/sources");
}

const TASKS: Task[] = [
  { name: "ask a folder something, from nothing", work: fromNothing },
  { name: "find out why one file is missing", work: missingFile },
  { name: "give a program a token for one RAG", work: tokenForOneRag },
  { name: "make a search better and prove it", work: betterSearch },
  { name: "take a source away without breaking anything", work: sourceAway },
];

export type TaskFigures = { task: string; keys: number; texts: number; seconds: number };

/** The five tasks by keyboard alone, in a service that holds nothing. */
export async function doTasks(page: Page, files: string[]): Promise<TaskFigures[]> {
  const figures: TaskFigures[] = [];
  for (const { name, work } of TASKS) {
    const keyboard = new Keyboard(page);
    const start = performance.now();
    await work(keyboard, files);
    const seconds = Math.round((performance.now() - start) / 100) / 10;
    figures.push({ task: name, keys: keyboard.keys, texts: keyboard.texts, seconds });
  }
  return figures;
}
