import { expect, test } from "vitest";

import { readableError } from "../../../src/cli/worker/worker-log.ts";

test("the Worker's errors are told in one line, its other lines are not", () => {
  const line = '{"level":"error","event":"index failed","path":"a.md","reason":"no text found"}';
  const told = "worker: index failed path=a.md reason=no text found";
  expect(readableError(line)).toBe(told);
  expect(readableError(`✘ [ERROR] ${line}`)).toBe(told);
  expect(readableError('{"level":"info","event":"request"}')).toBeNull();
});

test("wrangler's errors are told, its banner is not", () => {
  expect(readableError("✘ [ERROR] Could not resolve x")).toBe("wrangler: Could not resolve x");
  expect(readableError(" ⛅️ wrangler 4.155.0")).toBeNull();
  expect(readableError("{broken")).toBeNull();
});
