import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";

import { fileTests } from "./file-tests.ts";
import { isWithoutChromium, openedPanel } from "./support/opened-panel.ts";
import { FOR_CHANGES, PAGES, STATUSES } from "./support/pages.ts";
import { PAYLOADS } from "./support/payloads.ts";
import { storePayloads } from "./support/store-payloads.ts";
import { callsToAction, dropped, layoutProblems, offeredIn } from "./support/visitor.ts";
import { overflowOf } from "./support/visitor.ts";
import { signedInVisitor } from "./support/visitor.ts";
import { askStaffQuestion, callChartsOn, violationsOn } from "./support/visitor.ts";
import { ADMIN, makeWorld, MEMBER, type Api } from "./support/world.ts";
import { writtenFolder } from "./support/written-folder.ts";

const FIRST_DOCUMENTS = {
  "leave.md": "# Leave\n\nFull-time employees have 26 days of paid leave a year.",
  "trains.md": "# Trains\n\nSecond class, booked two weeks before the journey.",
};

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1_280, height: 900 };
const panel = openedPanel({ viewport: DESK });

const folderWith = (name: string, files: Record<string, string>) =>
  writtenFolder(join(panel().folder, name), files);

test.skipIf(isWithoutChromium)(
  "the first visit: from nothing to an answer, without a terminal",
  async () => {
    const { page, complaints } = panel().admin;
    await page.click("button:has-text('Upload files')");
    await dropped(panel().admin, folderWith("first", FIRST_DOCUMENTS));
    await page.locator("td a", { hasText: "leave.md" }).waitFor();
    await page.goto("/panel");
    await page.click(".steps button:has-text('Create RAG')");
    await page.click("button:has-text('Create inference')");
    await expect
      .poll(async () => await askStaffQuestion(page), { interval: 1_000 })
      .toContain("26 days");
    await page.goto("/panel");
    await page.click(".steps a:has-text('Create token')");
    await page.click("button:has-text('Create token')");
    const [token = ""] = /qry_\w{38}/.exec(await page.locator(".once").innerText()) ?? [];
    const called = await page.request.post("/api/inferences/ask-documents", {
      headers: { Authorization: `Bearer ${token}` },
      data: { prompt: "How many days of leave are there?", semanticSearch: ["days of leave"] },
    });
    expect(await called.text()).toContain("26 days");
    await expect.poll(async () => await callChartsOn(page)).toBe(1);
    await page.locator("svg.chart").first().focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    expect(await page.locator("svg.chart .here text").textContent()).toMatch(/^\d\d:00 UTC: 0$/);
    expect(complaints).toEqual([]);
  },
);

describe.skipIf(isWithoutChromium)("the panel in Chromium", () => {
  let api: Api;

  beforeAll(async () => {
    api = await makeWorld(panel().url);
  });

  fileTests(() => ({ admin: panel().admin, api }));
  test("every page is accessible in both colours and fits a desk and a phone", async () => {
    const { page, complaints } = panel().admin;
    const violations: Record<string, unknown> = {};
    const { data } = (await api("GET", "/question-sets/leave/runs")) as { data: { id: string }[] };
    const [run = ""] = data.map(({ id }) => id);
    const runs = "/panel/evaluation/leave/runs";
    const compared = `${runs}/compare?first=${run}&second=${run}`;
    for (const path of [...PAGES, `${runs}/${run}`, compared]) {
      const status = (await page.goto(path))?.status();
      const problems: unknown[] = await violationsOn(page);
      if (status !== (STATUSES[path] ?? 200)) problems.push(`status ${status}`);
      problems.push(...(await callsToAction(page)));
      for (const { width } of [PHONE, DESK]) problems.push(...(await layoutProblems(page, width)));
      if (problems.length > 0) violations[path] = problems;
    }
    expect(violations).toEqual({});
    expect(complaints).toEqual([]);
  });

  test("a member is shown everything and offered nothing that is refused", async () => {
    const member = await signedInVisitor(panel().browser, panel().url, MEMBER);
    const { page } = member;
    const { request } = member.context;
    const hrefs = new Set<string>();
    for (const path of PAGES.filter((address) => !FOR_CHANGES.test(address))) {
      const answer = await request.get(path);
      expect([path, answer.status()]).toEqual([path, STATUSES[path] ?? 200]);
      const { links, posts } = offeredIn(await answer.text());
      for (const href of links) hrefs.add(href);
      const own = /\/run$|^\/panel\/(account|search|first-steps\/close)/;
      const actions = posts.filter((to) => !own.test(to));
      expect({ path, offered: actions }).toEqual({ path, offered: [] });
    }
    const failures: string[] = [];
    for (const href of hrefs) {
      const answer = await request.get(href);
      if (!answer.ok()) failures.push(`${answer.status()} ${href}`);
    }
    expect(failures).toEqual([]);
    await page.goto("/panel/inferences/ask");
    expect(await askStaffQuestion(page)).toContain("26 days");
    expect((await page.goto("/panel/tokens/new"))?.status()).toBe(403);
    expect(member.complaints).toEqual([]);
    await member.context.close();
  });

  test("without script, pages are read, forms are sent and come back as typed", async () => {
    const options = { javaScriptEnabled: false };
    const { page, context } = await signedInVisitor(panel().browser, panel().url, ADMIN, options);
    await page.goto("/panel/search");
    await page.fill("[name=q]", "days of leave");
    await page.click("button:has-text('Search')");
    expect(await page.locator(".hit mark").first().innerText()).toMatch(/leave|days/i);

    await page.goto("/panel/tokens/new");
    await page.fill("[name=name]", "Without script");
    await page.check("[name='rags.reach'][value=some]");
    await page.check("[name=rags][value=handbook]");
    await page.click("button:has-text('Create token')");
    const secret = await page.locator(".once").innerText();
    expect(secret).toMatch(/qry_[0-9A-Za-z]{38}/);
    await page.reload();
    expect(await page.content()).not.toContain("qry_");

    await page.goto("/panel/rags/handbook/settings");
    await page.fill("[name=name]", "Renamed");
    await page.fill("[name=chunkSize]", "64");
    await page.fill("[name=chunkOverlap]", "60");
    await page.click("button:has-text('Save')");
    expect(await page.inputValue("[name=name]")).toBe("Renamed");
    expect(await page.locator(".problem").innerText()).toContain("at most half");
    await context.close();
  });

  test("the keyboard alone searches, lists its keys and makes a token for one RAG", async () => {
    const { page } = panel().admin;
    await page.goto("/panel/rags/handbook");
    await page.keyboard.press("?");
    expect(await page.locator("#keys").isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    expect(await page.locator("#keys").isVisible()).toBe(false);
    await page.keyboard.press("/");
    await page.waitForURL("**/panel/search");
    await page.locator("[name=q]:focus").waitFor();
    await page.keyboard.type("trains");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/panel/search?*q=trains*");
    expect(await page.locator(".hit h3").first().innerText()).toContain("trains.md");
    await page.locator("nav.places a:has-text('Tokens')").first().focus();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/panel/tokens");
    await page.locator("main a:has-text('New token')").focus();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/panel/tokens/new");
    await page.locator("[name=name]:focus").waitFor();
    await page.keyboard.type("By keyboard");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/panel/tokens");
    expect(await page.locator("tr", { hasText: "By keyboard" }).innerText()).toContain("documents");
  });

  test("Ctrl K finds a page and a name, by the keyboard alone", async () => {
    const { page } = panel().admin;
    await page.goto("/panel/settings/models");
    await page.locator("nav.places a:has-text('Tokens')").first().focus();
    await page.keyboard.press("Control+k");
    await page.locator("#find input:focus").waitFor();
    await page.keyboard.type("handbook");
    await page.locator("#find a", { hasText: "Handbook agent" }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    // Requests that the page sends by itself meanwhile leave the list as it is.
    await page.evaluate(
      "document.body.dataset.refresh = '2'; document.dispatchEvent(new Event('visibilitychange'))",
    );
    const seconds = () => page.evaluate("document.body.dataset.refresh ?? null");
    await expect.poll(seconds).toBe(null);
    expect(await page.locator("#find a", { hasText: "Handbook agent" }).count()).toBe(1);
    await page.keyboard.press("Escape");
    expect(await page.locator("#find").isVisible()).toBe(false);
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Tokens");
    await page.keyboard.press("Control+k");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const second = await page.locator("#find a").nth(1).getAttribute("href");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**${second}`);
    // Enter opens what the typed text finds, however early it comes.
    await page.keyboard.press("Control+k");
    await page.keyboard.type("audit");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/panel/settings/log");
  });

  test("a list is searched while somebody types, and code holds the typed question", async () => {
    const { page } = panel().admin;
    await page.goto("/panel/sources/handbook");
    await page.fill("[name=path]", "trains");
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    expect(page.url()).toContain("path=trains");
    await page.goto("/panel/inferences/ask");
    await page.fill("[name=q]", 'What\'s "leave"?');
    const code = (label: string) => page.locator(`pre[aria-label="As ${label}"]`).textContent();
    expect(await code("curl")).toContain(String.raw`"prompt": "What'\''s \"leave\"?"`);
    expect(await code("Python")).toContain(String.raw`"prompt": "What's \"leave\"?"`);
  });

  test("a row's menu opens with the keyboard, and Escape closes it where it was", async () => {
    const { page } = panel().admin;
    await page.goto("/panel/rags");
    await page.locator(".menu summary").first().press("Enter");
    expect(await page.locator(".menu[open] a:has-text('Change settings')").isVisible()).toBe(true);
    expect(await violationsOn(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect(await page.locator(".menu[open]").count()).toBe(0);
    expect(await page.evaluate("document.activeElement.tagName")).toBe("SUMMARY");
  });

  test("fifty stored payloads run nothing and break no page", async () => {
    await storePayloads(api);
    const { page, complaints } = panel().admin;
    complaints.length = 0;
    const links = async (list: string, limit: number) => {
      await page.goto(list);
      const hrefs = await page
        .locator("main td a")
        .evaluateAll((anchors) => anchors.map((anchor) => anchor.getAttribute("href") ?? ""));
      return [...new Set(hrefs)].slice(0, limit);
    };
    // Lists and empty forms.
    const isPlain = /^\/panel(\/(new|settings)\/\w+|\/\w+(\/new)?)?$/;
    const files = await links("/panel/sources/hostile", 12);
    const models = await links("/panel/inferences", 8);
    const paths = [
      ...PAGES.filter((path) => isPlain.test(path)),
      "/panel/rags/hostile",
      "/panel/rags/hostile/scope/narrow",
      "/panel/rags/hostile-scopes/scope",
      "/panel/rags/hostile/preview",
      `/panel/search?rag=hostile&q=${encodeURIComponent(PAYLOADS[0] ?? "")}`,
      "/panel/search?rag=hostile&q=window+executed&topK=60",
      ...files,
      ...models,
      ...models.map((address) => `${address}/settings`),
    ];
    for (const path of paths) {
      await page.goto(path);
      await page.setViewportSize(PHONE);
      expect({ path, overflow: await overflowOf(page) }).toEqual({ path, overflow: 0 });
      await page.setViewportSize(DESK);
      const executed = (await page.evaluate("window.executed ?? 0")) === 1;
      expect({ path, executed }).toEqual({ path, executed: false });
    }
    expect(complaints).toEqual([]);
  });

  test("a folder of 300 files is dropped and stored, and the results add up", async () => {
    const files = Array.from({ length: 300 }, (_, at) => {
      const path = `${at % 2 === 0 ? "below/" : ""}file-${at}.md`;
      return [path, `# File ${at}\n\nNumber ${at} of many.`];
    });
    const folder = folderWith("dropped", { ...Object.fromEntries(files), ".DS_Store": "" });
    await api("POST", "/file-sources", { name: "Dropped", provider: "file_system" });
    const { page, complaints } = panel().admin;
    await page.goto("/panel/sources/dropped");
    await page.route("**/file-7.md", async (route) => {
      await route.fulfill({ status: 422, json: { error: "too many pages" } });
    });
    await dropped(panel().admin, folder);
    await expect
      .poll(async () => await page.locator("[data-drop]").innerText())
      .toMatch(
        /301 files: 299 uploaded, 1 failed, 1 skipped \(hidden\)\s+file-7.md: too many pages/,
      );
    await page.locator("#files .pager", { hasText: "1–50 of 299 files" }).waitFor();
    await expect
      .poll(async () => JSON.stringify(await api("GET", "/file-sources/dropped/files?limit=1")))
      .toMatch(/"filePath":"below\/file-0.md".*"total":299/);
    expect(complaints).toEqual([]);
  });
});
