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
  .map((file) => ({ file, patterns: patternsIn(file, readFileSync(join(ROOT, file), "utf8")) }));

type Finding = { file: string; pattern: string; reason: string };

async function findingsIn({ file, patterns }: (typeof files)[number]): Promise<Finding[]> {
  const recorded = patterns.madeOnLoad ? await recordPatterns(() => import(join(ROOT, file))) : [];
  const writtenPatterns = [...patterns.literals, ...recorded].map((pattern: WrittenPattern) => ({
    file,
    pattern: `/${pattern.source}/${pattern.flags}`,
    reason: superLinear(pattern).join("; "),
  }));
  const runtimePatterns = patterns.madeWhileRunning.map((pattern) => {
    return { file, pattern, reason: "made while running: what it makes is not known here" };
  });
  return [...writtenPatterns, ...runtimePatterns].filter(({ reason }) => reason !== "");
}

test("no pattern in src/ takes more than linear time", async () => {
  const findings: Finding[] = [];
  // Files are loaded one by one: a pattern of one must not be taken for another's.
  for (const file of files) findings.push(...(await findingsIn(file)));
  const exempt = new Set(EXEMPT.map(({ pattern }) => pattern));
  expect(findings.filter(({ pattern }) => !exempt.has(pattern))).toEqual([]);
  // An exemption that nothing needs hides the next finding.
  const findingPatterns = new Set(findings.map(({ pattern }) => pattern));
  expect([...exempt].filter((pattern) => !findingPatterns.has(pattern))).toEqual([]);
});

test("texts are normalised where a million marks take no minutes", () => {
  const bare = readdirSync(ROOT, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .filter((file) => /\.normalize\(/.test(readFileSync(join(ROOT, file), "utf8")));
  expect(bare.map((file) => file.replaceAll("\\", "/"))).toEqual(["core/normal-form.ts"]);
});

test("the finder sees literals, calls and what is made on load", async () => {
  const text = "const a = /x+$/g; const b = new RegExp('y'); const c = (z) => RegExp(z + '+$');";
  const patterns = patternsIn("example.ts", text);
  expect(patterns).toEqual({
    literals: [{ source: "x+$", flags: "g" }],
    madeOnLoad: true,
    madeWhileRunning: ["RegExp(z + '+$')"],
  });
  const makePattern = () => Promise.resolve(new RegExp(["a", "+"].join(""), "u"));
  expect(await recordPatterns(makePattern)).toEqual([{ source: "a+", flags: "u" }]);
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
