/**
 * No regular expression of ours takes more than linear time over what strangers write. What is
 * exempt is listed with its reason; an exemption that is no longer needed fails as well.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { patternsIn, recordPatterns, superLinear } from "../../support/regular-expressions.ts";
import type { WrittenPattern } from "../../support/regular-expressions.ts";
import { EXEMPT, OPERATORS_OWN } from "./exempt-patterns.ts";

const ROOT = join(import.meta.dirname, "../../../src");

const files = readdirSync(ROOT, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => /\.tsx?$/.test(file) && !file.startsWith(OPERATORS_OWN))
  .map((file) => ({ file, found: patternsIn(file, readFileSync(join(ROOT, file), "utf8")) }));

type Finding = { file: string; pattern: string; reason: string };

async function findingsIn({ file, found }: (typeof files)[number]): Promise<Finding[]> {
  const recorded = found.madeOnLoad ? await recordPatterns(() => import(join(ROOT, file))) : [];
  const written = [...found.literals, ...recorded].map((pattern: WrittenPattern) => ({
    file,
    pattern: `/${pattern.source}/${pattern.flags}`,
    reason: superLinear(pattern).join("; "),
  }));
  const made = found.madeWhileRunning.map((pattern) => {
    return { file, pattern, reason: "made while running: what it makes is not known here" };
  });
  return [...written, ...made].filter(({ reason }) => reason !== "");
}

test("no pattern in src/ takes more than linear time", async () => {
  const findings: Finding[] = [];
  // What one file makes on load must not be taken for another's.
  for (const file of files) findings.push(...(await findingsIn(file)));
  const exempt = new Set(EXEMPT.map(({ pattern }) => pattern));
  expect(findings.filter(({ pattern }) => !exempt.has(pattern))).toEqual([]);
  // An exemption that nothing needs hides the next finding.
  const found = new Set(findings.map(({ pattern }) => pattern));
  expect([...exempt].filter((pattern) => !found.has(pattern))).toEqual([]);
});

test("texts are normalised where a million marks take no minutes", () => {
  const bare = readdirSync(ROOT, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .filter((file) => /\.normalize\(/.test(readFileSync(join(ROOT, file), "utf8")));
  expect(bare.map((file) => file.replaceAll("\\", "/"))).toEqual(["core/normal-form.ts"]);
});

test("the finder sees literals, calls and what is made on load", async () => {
  const text = "const a = /x+$/g; const b = new RegExp('y'); const c = (z) => RegExp(z + '+$');";
  const found = patternsIn("example.ts", text);
  expect(found).toEqual({
    literals: [{ source: "x+$", flags: "g" }],
    madeOnLoad: true,
    madeWhileRunning: ["RegExp(z + '+$')"],
  });
  const made = () => Promise.resolve(new RegExp(["a", "+"].join(""), "u"));
  expect(await recordPatterns(made)).toEqual([{ source: "a+", flags: "u" }]);
});

test.each([
  ["^(a+)+$", /exponential/],
  [String.raw`^\s*([^#]*?)\s*(?:#.*)?$`, /Trade/],
  [String.raw`\s+$`, /Move/],
])("%s is found", (source, reason) => {
  expect(superLinear({ source, flags: "" }).join()).toMatch(reason);
});

test.each([String.raw`^\s*\w+$`, "a{1,20}b", String.raw`^[^#]*#`])("%s is not", (source) => {
  expect(superLinear({ source, flags: "" })).toEqual([]);
});
