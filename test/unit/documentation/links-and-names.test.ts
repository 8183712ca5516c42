import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

import { allPages, anchorsOf, readPage, relativeLinks, unevenRows, type Page } from "./pages.ts";

/** Longer pages are not read. README.md is what a stranger reads first. */
const MAX_BYTES: [path: string, bytes: number][] = [
  ["README.md", 7_168],
  ["CHANGELOG.md", 3_800],
  ["docs/ranking.md", 8_000],
  ["docs/scale-and-cost.md", 12_000],
  ["docs/architecture.md", 15_000],
  ["docs/panel-api.md", 13_727],
];
const ALL_DOCS_BYTES = 241_608;
const pages = allPages();

/** Names the fault of a link of this page; null: it leads somewhere. */
function brokenLink(page: Page, link: string): string | null {
  const [file = "", anchor = ""] = link.split("#");
  const target = file === "" ? page.path : join(dirname(page.path), file);
  if (!existsSync(target)) return `${page.path}: ${link}`;
  if (anchor === "" || !target.endsWith(".md")) return null;
  return anchorsOf(readPage(target)).has(anchor) ? null : `${page.path}: ${link}`;
}

/** `src/…` and the like in a page's text; a name that ends in a slash is a folder. */
function missingPaths({ path, text }: Page): string[] {
  const localText = text.replaceAll(/https?:\S+/g, "");
  const mentions = [...localText.matchAll(/\b(?:src|test|migrations|docs)\/[\w./-]*[\w/]/g)];
  return mentions
    .map(([name]) => name)
    .filter((name) => !existsSync(name) || (name.endsWith("/") && !statSync(name).isDirectory()))
    .map((name) => `${path}: ${name}`);
}

test.each(MAX_BYTES)("%s is at most %d bytes long", (path, bytes) => {
  expect(statSync(path).size).toBeLessThanOrEqual(bytes);
});

test("all of docs/ is short enough to be read", () => {
  const sizes = globSync("docs/**/{*.{md,ts,py,service,conf,cfg},{Caddy,Docker}file}").map(
    (path) => statSync(path).size,
  );
  expect(sizes.length).toBeGreaterThan(30);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(ALL_DOCS_BYTES);
});

test("every relative link and anchor leads somewhere", () => {
  const broken = pages.flatMap((page) =>
    relativeLinks(page).flatMap((link) => brokenLink(page, link) ?? []),
  );
  expect(pages.flatMap(relativeLinks).length).toBeGreaterThan(20);
  expect(broken).toEqual([]);
});

test("every row of a table has as many cells as its head", () => {
  expect(pages.flatMap(unevenRows)).toEqual([]);
});

test("every file and folder that a page names exists", () => {
  expect(pages.flatMap(missingPaths)).toEqual([]);
});

test("every npm script that a page names exists", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: object };
  const mentions = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/npm (?:run )?([a-z][a-z:-]*)/g)].map(([, name = ""]) => ({ path, name })),
  );
  const npmItself = new Set(["pack", "run", "ci", "install"]);
  const missing = mentions.filter(({ name }) => !npmItself.has(name) && !(name in scripts));
  expect(mentions.map(({ name }) => name)).toContain("bench");
  expect(missing).toEqual([]);
});

test("every benchmark that a page names exists", () => {
  const mentions = pages.flatMap(({ text }) =>
    [...text.matchAll(/npm run bench -- ([a-z-]+)/g)].map(([, name = ""]) => name),
  );
  expect(mentions).toContain("scale");
  expect(mentions.filter((name) => !existsSync(`test/bench/${name}.ts`))).toEqual([]);
});

test("the index of the documentation lists every page", () => {
  const linkedPages = new Set(
    relativeLinks(readPage("docs/README.md")).map((link) => join("docs", link)),
  );
  const inDocs = pages.map(({ path }) => path).filter((path) => path.startsWith("docs/"));
  expect(inDocs.filter((path) => path !== "docs/README.md" && !linkedPages.has(path))).toEqual([]);
});

test("every log event that the operations page names is written", () => {
  const { text } = readPage("docs/operations.md");
  const phrases = [...text.matchAll(/[`"]([a-z]+(?: [a-z]+)+)[`"]/g)].map(([, name = ""]) => name);
  const events = phrases.filter((name) => !/^(retrieval|npm) /.test(name));
  const source = globSync("src/**/*.ts").map((path) => readFileSync(path, "utf8"));
  expect(events).toContain("vector index repaired");
  expect(events.filter((name) => !source.some((code) => code.includes(`"${name}"`)))).toEqual([]);
});

test("every series of the metrics is described", () => {
  const source = readFileSync("src/panel/metrics.ts", "utf8");
  const names = [...source.matchAll(/family\("(\w+)"/g)].map(([, name = ""]) => name);
  const { text } = readPage("docs/monitor.md");
  expect(names).toContain("quarry_calls");
  expect(names.filter((name) => !text.includes(name))).toEqual([]);
});
