import { expect, test } from "vitest";

import { violationsOn, type Visitor } from "./support/visitor.ts";
import type { Api } from "./support/world.ts";

const SCRIPT =
  "top.stolen = document.cookie; fetch('/panel/api/users').then(() => (top.stolen = 1))";
const HOSTILE: Record<string, string> = {
  "text/html": `<h1>Trains</h1><script>${SCRIPT}</script><img src="/x" onerror="${SCRIPT}">
    <form action="/panel/sign-out" method="post"><button>Go</button></form>`,
  "image/svg+xml": `<svg xmlns="http://www.w3.org/2000/svg"><script>${SCRIPT}</script>
    <text y="20" onload="${SCRIPT}">Trains</text></svg>`,
  "application/xhtml+xml": `<html xmlns="http://www.w3.org/1999/xhtml"><body>
    <script>${SCRIPT}</script>Trains</body></html>`,
};

/** The page of a file, and what its original may do. */
export function fileTests(world: () => { admin: Visitor; api: Api }): void {
  test.each(Object.entries(HOSTILE))("%s runs no script, framed or opened", async (type, text) => {
    const path = `hostile/${type.replaceAll("/", "-")}`;
    const { api, admin } = world();
    await api("PUT", `/file-sources/handbook/files/${path}`, text, { "Content-Type": type });
    const { page, complaints } = admin;
    const userRequests: string[] = [];
    page.on("request", (request) => {
      if (new URL(request.url()).pathname === "/panel/api/users") userRequests.push(request.url());
    });
    const query = `?path=${encodeURIComponent(path)}`;
    for (const place of ["file", "file/original"]) {
      await page.goto(`/panel/sources/handbook/${place}${query}`, { waitUntil: "networkidle" });
      expect(await page.evaluate("window.stolen ?? null")).toBeNull();
      expect(userRequests).toEqual([]);
    }
    // The browser says what it blocked.
    expect(complaints.join()).not.toContain("dialog");
    complaints.length = 0;
  });

  test("the page of a file is used by keyboard, and is accessible with its original", async () => {
    const { page } = world().admin;
    await page.goto("/panel/sources/handbook/file?path=handbook/leave.md");
    expect(await violationsOn(page)).toEqual([]);
    const frame = page.frameLocator("iframe.frame");
    await frame.locator("body", { hasText: "26 days" }).waitFor();
    const button = page.getByRole("button", { name: "Leave out of search" }).last();
    await button.focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".cut.excluded");
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole("button", { name: "Include in search" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".cut:not(.excluded)");
  });
}
