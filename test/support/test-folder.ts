import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder of the test that asks, or whose hook asks; it goes when the test ends. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "quarry-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
