import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import { servedDocuments } from "../support/served-documents.ts";

const PROGRAMS = join(import.meta.dirname, "node_modules/.bin");
const RULESET = "extends:\n  - spectral:oas\n";

let folder: string;
/** The published specification, and those beside it. */
let files: string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "quarry-openapi-"));
  files = (await servedDocuments()).map((content, at) => {
    const file = join(folder, `${at}.json`);
    writeFileSync(file, content);
    return file;
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(program: string, ...args: string[]) {
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const options = { env, encoding: "utf8" as const };
  const { status, stdout, stderr } = spawnSync(join(PROGRAMS, program), args, options);
  return { status, output: stdout + stderr };
}

test("redocly finds neither errors nor warnings", () => {
  const { status, output } = run("redocly", "lint", "--format=json", ...files);
  expect({ status, problems: output.match(/"(error|warning)s": [1-9]\d*/g) }).toEqual({
    status: 0,
    problems: null,
  });
  expect(output.match(/"totals"/g)).toHaveLength(files.length);
});

test("spectral's oas rules find nothing", () => {
  const ruleset = join(folder, "spectral.yaml");
  writeFileSync(ruleset, RULESET);
  const lint = run("spectral", "lint", ...files, "--ruleset", ruleset, "--fail-severity", "hint");
  expect(lint).toMatchObject({ status: 0 });
  expect(lint.output).toContain("No results with a severity of 'hint' or higher found!");
});
