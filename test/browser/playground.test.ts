import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";

import { isWithoutChromium, openedPanel } from "./support/opened-panel.ts";
import { violationsOn } from "./support/visitor.ts";
import { makeWorld } from "./support/world.ts";

const HOSTILE = `# Otters <script>window.executed = 1</script>

<img src=x onerror="window.executed = 1"> [otters](javascript:window.executed=1) swim.

| otter | weight |
| --- | --- |
| <b onmouseover="window.executed = 1">sea</b> | 30 kg |
`;

const QUESTION = "How many days of leave are there?";

const panel = openedPanel();

beforeAll(async () => {
  if (isWithoutChromium) return;
  const api = await makeWorld(panel().url);
  await api("PUT", "/file-sources/handbook/files/otters.md", HOSTILE);
});

async function send(page: Page, question: string): Promise<void> {
  await page.locator("textarea[name=q]").focus();
  await page.keyboard.type(question);
  await page.keyboard.press("Enter");
}

/** Asks by keyboard what is typed; returns the turn's text when it has ended, also without answer. */
async function ask(page: Page, question: string): Promise<string> {
  await send(page, question);
  return await endedTurn(page, question);
}

async function endedTurn(page: Page, question: string): Promise<string> {
  const turn = page.locator(".turn:not([aria-busy])", { hasText: question });
  await turn.waitFor();
  return await turn.innerText();
}

describe.skipIf(isWithoutChromium)("search and answers in Chromium", () => {
  test("an answer comes without a new page, its citation leads to its passage", async () => {
    const { page, complaints } = panel().admin;
    await page.goto("/panel/search");
    await page.selectOption("[name=with]", "inference:ask");
    await page.evaluate("document.body.dataset.kept = 'yes'");
    expect(await ask(page, QUESTION)).toContain("26 days");
    const passage = (await page.locator(".cited").first().getAttribute("href")) ?? "";
    expect(await page.locator(passage).innerText()).toContain("handbook/leave.md");
    // The built-in model knows what "it" is from the turn before only.
    expect(await ask(page, "And what about it?")).toContain("26 days");
    expect(await page.locator(".turn .question").allInnerTexts()).toEqual([
      QUESTION,
      "And what about it?",
    ]);
    expect(await page.locator("body[data-kept=yes]").count()).toBe(1);
    expect(await violationsOn(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("a loaded page takes keys, whatever scripts are still on their way", async () => {
    const { page } = panel().admin;
    const { promise: isSent, resolve } = Promise.withResolvers<void>();
    let scripts = 0;
    await page.route("**/assets/panel/*.js", async (route) => {
      if (scripts++ > 0) await isSent;
      await route.continue();
    });
    await page.goto("/panel/search?with=inference:ask");
    await send(page, QUESTION);
    resolve();
    expect(await endedTurn(page, QUESTION)).toContain("26 days");
    await page.unroute("**/assets/panel/*.js");
  });

  test("text is shown while the model writes, and a broken line says so", async () => {
    const { page } = panel().admin;
    await page.goto("/panel/inferences/ask");
    const events = `event: delta\ndata: {"text":"There are","step":0}\n\nevent: error\ndata: {"error":"The model is busy"}\n\n`;
    await page.route("**/inferences/ask/run", async (route) => {
      await route.fulfill({ contentType: "text/event-stream", body: events });
    });
    await page.fill("textarea[name=q]", QUESTION);
    await page.keyboard.press("Enter");
    await page.locator(".turn [role=status]", { hasText: "The model is busy" }).waitFor();
    expect(await page.locator(".answer-text").innerText()).toBe("There are");
    expect(await page.inputValue("textarea[name=q]")).toBe(QUESTION);
    await page.unroute("**/inferences/ask/run");
  });

  test("two settings of a search and of an inference are shown side by side", async () => {
    const { page } = panel().admin;
    await page.goto("/panel/search?rag=handbook&q=days+of+leave");
    await page.click("button:has-text('Compare two settings')");
    await page.selectOption("[name='b.searchMode']", "keyword");
    await page.click("button:has-text('Search both')");
    await page.waitForURL("**/search?*b.searchMode=keyword*");
    await page.locator(".moved").first().waitFor();
    // Its form is folded: results come first.
    expect(await page.locator("[name='b.searchMode']").isVisible()).toBe(false);

    await page.goto("/panel/search?with=inference:ask");
    await page.click("button:has-text('Compare two settings')");
    await page.fill("textarea[name=q]", QUESTION);
    await page.fill("[name='b.topK']", "1");
    await page.click("button:has-text('Ask both')");
    const columns = page.locator(".turn .cols > div");
    await columns.nth(1).locator(".hit").waitFor();
    expect(await columns.nth(0).locator(".hit").count()).toBeGreaterThan(1);
    expect(await columns.nth(1).locator(".hit").count()).toBe(1);
    for (const at of [0, 1]) expect(await columns.nth(at).innerText()).toContain("26 days");
    expect(await page.locator("[name='b.topK']").isVisible()).toBe(false);
    await page.click("button:has-text('Stop comparing')");
    await page.locator("button:has-text('Compare two settings')").waitFor();
  });

  test("a passage keeps the question in a question set", async () => {
    const { page } = panel().admin;
    await page.goto("/panel/search?rag=handbook&q=When+are+trains+booked");
    const hit = page.locator(".hit", { hasText: "trains.md" });
    await hit.locator("a:has-text('Keep as test question')").click();
    await page.waitForURL("**/panel/evaluation/leave?*");
    await page.click("button:has-text('Add the question')");
    const row = page.locator("tr", { hasText: "When are trains booked" });
    expect(await row.innerText()).toContain("trains.md");
  });

  test("a document's Markdown is rendered, and nothing in it runs", async () => {
    const { page, complaints } = panel().admin;
    const countResults = async () => {
      await page.goto("/panel/search?rag=handbook&q=otters");
      return await page.locator(".hit", { hasText: "otters.md" }).count();
    };
    await expect.poll(countResults, { interval: 1_000 }).toBe(1);
    const hit = page.locator(".hit", { hasText: "otters.md" });
    expect(await hit.locator("td").allInnerTexts()).toContain("30 kg");
    expect(await hit.innerText()).toContain("<script>window.executed = 1</script>");
    expect(await hit.locator("script, img, .markdown a, b").count()).toBe(0);
    await page.goto("/panel/sources/handbook/file?path=otters.md&rag=handbook");
    expect(await page.evaluate("window.executed ?? 0")).toBe(0);
    expect(complaints).toEqual([]);
  });
});
