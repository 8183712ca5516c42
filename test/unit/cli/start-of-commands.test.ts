import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

import { PROJECT } from "../../../src/cli/installation.ts";

const PRINT_MODULES = `data:text/javascript,import { registerHooks } from "node:module";
registerHooks({ load(url, context, next) { console.log(url); return next(url, context); } });`;

test("a command starts without the tables and readers of the service", () => {
  const command = ["--import", PRINT_MODULES, join(PROJECT, "src/cli/quarry.ts"), "--version"];
  const modules = execFileSync(process.execPath, command, { encoding: "utf8" }).split("\n");
  expect(modules.length).toBeGreaterThan(100);
  const heavy = /\/(drizzle-orm|ai|hono|htmlparser2)\/|\/src\/(db|documents\/formats\/pdf)\//;
  expect(modules.filter((url) => heavy.test(url))).toEqual([]);
});
