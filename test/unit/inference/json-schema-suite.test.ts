/**
 * The official JSON Schema Test Suite against our validator. No npm package carries the suite of
 * draft 2020-12, so it runs where it is found: in the folder that JSON_SCHEMA_TEST_SUITE names (a
 * checkout of json-schema-org/JSON-Schema-Test-Suite), or where Debian's package
 * libtest-json-schema-acceptance-perl puts it. What it found wrong stands in json-schema.test.ts.
 */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { readJsonSchema } from "../../../src/inference/json-schema/read-json-schema.ts";

const DEBIAN = "/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance";
const suite = join(process.env["JSON_SCHEMA_TEST_SUITE"] ?? DEBIAN, "tests");
const isHere = existsSync(join(suite, "draft2020-12"));

type Group = {
  description: string;
  schema: Record<string, unknown> | boolean;
  tests: { description: string; data: unknown; valid: boolean }[];
};

type Outcome = { cases: number; wrong: string[]; refused: Map<string, number> };

function groupsOf(folder: string): [file: string, Group][] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .flatMap((file) => {
      const groups = JSON.parse(readFileSync(join(folder, file), "utf8")) as Group[];
      return groups.map((group): [string, Group] => [file, group]);
    });
}

/** The suite's schemas of older drafts do not name their dialect; ours is chosen by it. */
function judge(groups: [string, Group][], dialect: string | null): Outcome {
  const outcome: Outcome = { cases: 0, wrong: [], refused: new Map() };
  for (const [file, { description, schema, tests }] of groups) {
    const named =
      dialect === null || typeof schema === "boolean" ? schema : { $schema: dialect, ...schema };
    const read = readJsonSchema(named);
    outcome.cases += tests.length;
    if (!read.ok) {
      outcome.refused.set(read.reason, (outcome.refused.get(read.reason) ?? 0) + tests.length);
      continue;
    }
    for (const one of tests) {
      if ((read.findings(one.data).length === 0) === one.valid) continue;
      outcome.wrong.push(`${file}: ${description}: ${one.description}`);
    }
  }
  return outcome;
}

const counted = ({ cases, refused }: Outcome) => {
  const out = [...refused.values()].reduce((sum, count) => sum + count, 0);
  return `${cases - out} of ${cases} required cases judged as the suite wants, ${out} refused`;
};

/** What may be refused, in the words that the caller gets. */
const REFUSALS = [
  /^refers to .+, which is not in it$/,
  /^must not use (\$dynamicRef|\$recursiveRef|unevaluated\w+), which is not supported$/,
  /^names a \$schema that is not supported$/,
  /^uses the \$anchor .+ twice$/,
  /^must not use \$ref beside an identifier$/,
  /^must be a JSON Schema: an identifier or reference in it cannot be read$/,
];

const DRAFTS: [folder: string, dialect: string | null][] = [
  ["draft2020-12", null],
  ["draft2019-09", null],
  ["draft7", "http://json-schema.org/draft-07/schema#"],
  ["draft6", "http://json-schema.org/draft-06/schema#"],
  ["draft4", "http://json-schema.org/draft-04/schema#"],
];

/** Rare forms of valid values that the library refuses; everything else that is valid passes. */
const TOO_STRICT = /^(email\.json: .*(quoted string|address-literal)|(date-)?time\.json: .*leap)/;

describe.skipIf(!isHere)("the official suite", () => {
  const outcomes = isHere
    ? DRAFTS.map(([folder, dialect]): [string, Outcome] => [
        folder,
        judge(groupsOf(join(suite, folder)), dialect),
      ])
    : [];

  for (const [folder, outcome] of outcomes) {
    test(`${folder}: ${counted(outcome)}`, () => {
      expect(outcome.cases).toBeGreaterThan(500);
      expect(outcome.wrong).toEqual([]);
      const unnamed = [...outcome.refused.keys()].filter(
        (reason) => !REFUSALS.some((form) => form.test(reason)),
      );
      expect(unnamed).toEqual([]);
    });
  }

  test("formats: no valid value is refused, leap seconds and quoted mail names apart", () => {
    const groups = groupsOf(join(suite, "draft2020-12/optional/format"));
    const valid = groups.map(([file, group]): [string, Group] => [
      file,
      { ...group, tests: group.tests.filter((one) => one.valid) },
    ]);
    const { wrong } = judge(valid, null);
    expect(wrong.filter((one) => !TOO_STRICT.test(one))).toEqual([]);
  });
});
