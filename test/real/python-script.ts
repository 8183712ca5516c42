import assert from "node:assert/strict";
import { join } from "node:path";

import type { Tools } from "./tools.ts";

/**
 * Runs a script that prints a line for each thing it tried, `ok TITLE` or `failed TITLE: WHY`, as
 * checks of the counterpart.
 */
export async function checkByScript(
  tools: Tools,
  { bin, script, env }: { bin: string; script: string; env: Record<string, string> },
): Promise<void> {
  const options = { env: { ...process.env, ...env } };
  const { code, stdout, stderr } = await tools.tryRun(join(bin, "python"), [script], options);
  const lines = stdout.split("\n").filter((line) => /^(?:ok|failed) /.test(line));
  for (const line of lines) {
    await tools.check(line.replace(/^\w+ /, ""), () => assert.match(line, /^ok /));
  }
  assert.equal(code, 0, stderr.slice(-3_000));
  assert.ok(lines.length > 0, stderr.slice(-3_000));
}
