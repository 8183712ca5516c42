import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";

import { expect, test, vi } from "vitest";

import { followWorkerLog, readableError } from "../../../src/cli/worker/worker-log.ts";

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

test("a log that cannot be written is told once, and errors are told on", async () => {
  const told: string[] = [];
  const output = new Readable({ read: () => undefined });
  // A device on which every write fails as on a full disk.
  followWorkerLog([output], createWriteStream("/dev/full"), (line) => told.push(line));
  output.push("a line\n");
  await vi.waitFor(
    () => expect(told).toEqual([expect.stringMatching(/^The log cannot be written: ./)]),
    10_000,
  );
  output.push('{"level":"error","event":"defect"}\n');
  output.push(null);
  await vi.waitFor(() => expect(told.slice(1)).toEqual(["worker: defect"]), 10_000);
});
