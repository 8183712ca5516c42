import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { RunningWorker } from "../../src/cli/worker/start-worker.ts";
import { scratchFolder, startService } from "../end-to-end/local-service.ts";
import { CHROMIUM_ARGUMENTS, findChromium } from "./support/chromium.ts";
import { LONG_PAYLOAD, PAYLOADS } from "./support/payloads.ts";
import { overflowOf, signedInVisitor, violationsOn, visitorIn } from "./support/visitor.ts";
import type { Visitor } from "./support/visitor.ts";
import { ADMIN, makeWorld, MEMBER } from "./support/world.ts";
import type { Api } from "./support/world.ts";

const executablePath = findChromium();

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1_280, height: 900 };

/** Every kind of page; what needs an id that the world gives is found by its link. */
const PAGES = [
  "/panel",
  "/panel/account",
  "/panel/account/second-factor",
  "/panel/search?q=days+of+leave",
  "/panel/search?q=leave&compare=on&b.searchMode=semantic",
  "/panel/search?q=leave&topK=900",
  "/panel/sources",
  "/panel/sources/new",
  "/panel/sources/handbook",
  "/panel/sources/handbook/runs",
  "/panel/sources/handbook/settings",
  "/panel/sources/handbook/remove",
  "/panel/sources/handbook/file?path=handbook/leave.md",
  "/panel/sources/handbook/file?path=handbook/leave.md&rag=handbook",
  "/panel/sources/handbook/file?path=policies/empty.md",
  "/panel/rags",
  "/panel/rags/new",
  "/panel/rags/handbook",
  "/panel/rags/handbook/scope",
  "/panel/rags/handbook/settings",
  "/panel/rags/handbook/settings/cost?name=H&chunkSize=64&chunkOverlap=0&searchMode=hybrid",
  "/panel/rags/handbook/preview",
  "/panel/rags/handbook/reindex",
  "/panel/rags/handbook/remove",
  "/panel/inferences",
  "/panel/inferences/new",
  "/panel/inferences/ask",
  "/panel/inferences/ask/settings",
  "/panel/inferences/ask/remove",
  "/panel/agents",
  "/panel/agents/new",
  "/panel/agents/agent",
  "/panel/agents/agent/settings",
  "/panel/tokens",
  "/panel/tokens/new",
  "/panel/settings",
  "/panel/settings/keys",
  "/panel/settings/models",
  "/panel/settings/log",
];

describe.skipIf(executablePath === null)("the panel in Chromium", () => {
  const state = scratchFolder();
  let service: RunningWorker;
  let browser: Browser;
  let api: Api;
  let admin: Visitor;

  beforeAll(async () => {
    [service, browser] = await Promise.all([
      startService(state.path),
      chromium.launch({ executablePath: executablePath ?? "", args: CHROMIUM_ARGUMENTS }),
    ]);
    api = await makeWorld(service.url);
    admin = await signedInVisitor(browser, service.url, ADMIN, { viewport: DESK });
  });

  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    state.remove();
  });

  test("every page is accessible in both colours and fits a desk and a phone", async () => {
    const { page, complaints } = admin;
    const found: Record<string, unknown> = {};
    for (const path of PAGES) {
      await page.goto(path);
      const problems: unknown[] = await violationsOn(page);
      for (const viewport of [PHONE, DESK]) {
        await page.setViewportSize(viewport);
        const overflow = await overflowOf(page);
        if (overflow > 0) problems.push(`${overflow} pixels too wide for ${viewport.width}`);
      }
      if (problems.length > 0) found[path] = problems;
    }
    expect(found).toEqual({});
    expect(complaints).toEqual([]);
  });

  test("a member is shown everything and offered nothing that is refused", async () => {
    const member = await signedInVisitor(browser, service.url, MEMBER);
    const { page } = member;
    for (const path of PAGES.filter((one) => !/\/(new|remove|cost|reindex)\b/.test(one))) {
      await page.goto(path);
      const posts = await page
        .locator("main form[method=post]")
        .evaluateAll((forms) => forms.map((form) => form.getAttribute("action")));
      const offered = posts.filter((action) => !/\/run$|^\/panel\/account/.test(action ?? ""));
      expect({ path, offered }).toEqual({ path, offered: [] });
    }
    await page.goto("/panel/inferences/ask");
    await page.fill("[name=prompt]", "How many days of leave are there?");
    await page.click("button:has-text('Run')");
    expect(await page.locator(".answer-text").innerText()).toContain("26 days");
    expect((await page.goto("/panel/tokens/new"))?.status()).toBe(403);
    expect(member.complaints).toEqual([]);
    await member.context.close();
  });

  test("without script, pages are read, forms are sent and come back as typed", async () => {
    const options = { javaScriptEnabled: false };
    const { page, context } = await signedInVisitor(browser, service.url, ADMIN, options);
    await page.goto("/panel/search");
    await page.fill("[name=q]", "days of leave");
    await page.click("button:has-text('Search')");
    expect(await page.locator(".hit mark").first().innerText()).toMatch(/leave|days/i);

    await page.goto("/panel/tokens/new");
    await page.fill("[name=name]", "Without script");
    await page.check("[name='rags.reach'][value=some]");
    await page.check("[name=rags][value=handbook]");
    await page.click("button:has-text('Make the token')");
    const shown = await page.locator(".once").innerText();
    expect(shown).toMatch(/qry_[0-9A-Za-z]{38}/);
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
    const { page } = admin;
    await page.goto("/panel/rags/handbook");
    await page.keyboard.press("?");
    expect(await page.locator("#keys").isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    expect(await page.locator("#keys").isVisible()).toBe(false);
    await page.keyboard.press("/");
    await page.waitForURL("**/panel/search");
    await page.keyboard.type("trains");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/panel/search?*q=trains*");
    expect(await page.locator(".hit h3").first().innerText()).toContain("trains.md");
    // A field that has the focus takes letters: leave it first.
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await page.waitForURL("**/panel/tokens");
    await page.locator("main a:has-text('New token')").focus();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/panel/tokens/new");
    await page.keyboard.type("By keyboard");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/panel/tokens");
    expect(await page.locator("tr", { hasText: "By keyboard" }).innerText()).toContain("handbook");
  });

  test("two windows: what one changes the other shows, and neither loses its work", async () => {
    const second = await visitorIn(admin.context);
    await admin.page.goto("/panel/inferences/ask/settings");
    await second.page.goto("/panel/inferences/ask/settings");
    await second.page.fill("[name=name]", "Renamed in the second");
    await second.page.click("button:has-text('Save')");
    await admin.page.fill("[name=systemPrompt]", "Changed in the first");
    await admin.page.click("button:has-text('Save')");
    await second.page.goto("/panel/inferences/ask/settings");
    expect(await second.page.inputValue("[name=systemPrompt]")).toBe("Changed in the first");
    expect(second.complaints).toEqual([]);
    await second.page.close();
  });

  test("fifty stored payloads run nothing and break no page", async () => {
    await storePayloads(api);
    const { page, complaints } = admin;
    complaints.length = 0;
    const links = async (list: string, limit: number) => {
      await page.goto(list);
      const found = await page
        .locator("main td a")
        .evaluateAll((anchors) => anchors.map((anchor) => anchor.getAttribute("href") ?? ""));
      return [...new Set(found)].slice(0, limit);
    };
    const lists = ["/panel", "/panel/sources", "/panel/rags", "/panel/inferences", "/panel/agents"];
    const files = await links("/panel/sources/hostile", 12);
    const models = await links("/panel/inferences", 8);
    const paths = [
      ...lists,
      "/panel/tokens",
      "/panel/tokens/new",
      "/panel/settings",
      "/panel/rags/hostile",
      "/panel/rags/hostile/scope",
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

  test("a folder of 300 files is dropped, told while it is uploaded, and stored", async () => {
    const folder = join(state.path, "dropped");
    mkdirSync(join(folder, "below"), { recursive: true });
    for (let at = 0; at < 300; at++) {
      const path = join(folder, at % 2 === 0 ? "below" : "", `file-${at}.md`);
      writeFileSync(path, `# File ${at}\n\nNumber ${at} of many.`);
    }
    await api("POST", "/file-sources", {
      name: "Dropped",
      identifier: "dropped",
      provider: "file_system",
    });
    const { page } = admin;
    await page.goto("/panel/sources/dropped");
    const place = page.locator("[data-drop]");
    const box = await place.boundingBox();
    const at = { x: (box?.x ?? 0) + 20, y: (box?.y ?? 0) + 20 };
    const devtools = await admin.context.newCDPSession(page);
    const data = { items: [], files: [folder], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"] as const) {
      await devtools.send("Input.dispatchDragEvent", { type, ...at, data });
    }
    await expect
      .poll(async () => await page.locator("body").innerText(), { timeout: 60_000 })
      .toMatch(/\d+ of 300 files are uploaded/);
    await expect
      .poll(async () => JSON.stringify(await api("GET", "/file-sources/dropped/files?limit=1")), {
        timeout: 60_000,
      })
      .toContain('"total":300');
    expect(admin.complaints).toEqual([]);
  });
});

/** Every payload in every field that takes it. */
async function storePayloads(api: Api): Promise<void> {
  const source = { name: PAYLOADS[0], identifier: "hostile", provider: "file_system" };
  await api("POST", "/file-sources", source);
  await api("POST", "/rags", {
    name: PAYLOADS[1],
    identifier: "hostile",
    fileSource: "hostile",
    reranker: "embedded/lexical",
  });
  const work = PAYLOADS.map((payload, at) => async () => {
    const name = payload.slice(0, 190);
    const prompted = { systemPrompt: payload + LONG_PAYLOAD, model: "embedded/extractive" };
    // What no path may hold is refused, and no payload.
    const path = payload.replaceAll("/", "|").replaceAll(/\p{Cc}/gu, "");
    const file = `files/${encodeURIComponent(path)}.md`;
    await api("PUT", `/file-sources/hostile/${file}`, `# ${payload}\n\n${payload} window executed`);
    await api("POST", "/tokens", { name, rags: ["hostile"] });
    const identifier = `hostile-${at}`;
    await api("POST", "/inferences", { name, identifier, ...prompted, rags: ["hostile"] });
    if (at < 10) {
      await api("POST", "/agents", { name, identifier, description: payload, ...prompted });
      await api("POST", "/file-sources", { name, identifier, provider: "file_system" });
    }
  });
  const lanes = Array.from({ length: 6 }, async () => {
    for (let next = work.shift(); next !== undefined; next = work.shift()) await next();
  });
  await Promise.all(lanes);
}
