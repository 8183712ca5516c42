import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";

import { followWorkerLog } from "../../../src/cli/worker/worker-log.ts";
import { eventually } from "../../support/eventually.ts";
import { testFolder } from "../../support/test-folder.ts";

const MAX_BYTES = 1_000;
const ofWorker = (level: string, logged: object) =>
  JSON.stringify({ timestamp: 1_795_895_993_204, level, message: JSON.stringify(logged) });

function followLog(path: string) {
  const output = new Readable({ read: () => undefined });
  const lines: string[] = [];
  const log = followWorkerLog([output], path, (line) => lines.push(line), MAX_BYTES);
  const write = async (line: string) => {
    const before = log.lastLines().at(-1);
    output.push(`${line}\n`);
    await eventually(() => expect(log.lastLines().at(-1)).not.toBe(before));
  };
  return { write, lines, log };
}

const linesOf = (path: string) =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);

test("each line is JSON with a time; errors are told in one line, others are not", async () => {
  const path = join(testFolder(), "worker.log");
  writeFileSync(path, '{"event":"of the start before"}\n');
  const { write, lines } = followLog(path);
  const stack = "Error\n    at put";
  await write(ofWorker("info", { level: "info", event: "request" }));
  await write(ofWorker("error", { level: "error", event: "index failed", path: "a.md", stack }));
  await write('{"timestamp":"1795895990156","level":"warn","source":"a.rs","message":"a flag"}');
  const source = "workerd/jsg/util.c++:410";
  const message = "failed to lookup address information; sentryErrorContext = jsgInternalError";
  await write(JSON.stringify({ timestamp: 1_795_895_993_204, level: "error", source, message }));
  await write("*** Fatal");
  const time = "2026-11-28T19:59:53.204Z";
  expect(linesOf(path)).toEqual([
    { event: "of the start before" },
    { time, level: "info", event: "request" },
    { time, level: "error", event: "index failed", path: "a.md", stack },
    {
      time: "2026-11-28T19:59:50.156Z",
      level: "warn",
      event: "workerd",
      source: "a.rs",
      message: "a flag",
    },
    { time, level: "error", event: "workerd", source, message },
    {
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      level: "warn",
      event: "workerd",
      message: "*** Fatal",
    },
  ]);
  expect(lines).toEqual(["worker: index failed path=a.md stack=Error"]);
});

test("a log that cannot be written is told once, and goes on when it can", async () => {
  const folder = join(testFolder(), "missing");
  const path = join(folder, "worker.log");
  const { write, lines } = followLog(path);
  for (const event of ["lost", "lost, too"])
    await write(ofWorker("error", { level: "error", event }));
  expect(lines).toEqual([
    "worker: lost",
    expect.stringMatching(/^The log cannot be written: ./),
    "worker: lost, too",
  ]);
  mkdirSync(folder);
  await write(ofWorker("info", { level: "info", event: "kept" }));
  expect(linesOf(path)).toMatchObject([{ event: "kept" }]);
});

test("a long log is kept in two files", async () => {
  const path = join(testFolder(), "worker.log");
  const { write, log } = followLog(path);
  for (let nth = 0; nth < 60; nth++)
    await write(ofWorker("info", { level: "info", event: `${nth}` }));
  expect([...linesOf(`${path}.1`), ...linesOf(path)].at(-1)).toMatchObject({ event: "59" });
  expect(linesOf(path).length + linesOf(`${path}.1`).length).toBeLessThan(50);
  for (const file of [path, `${path}.1`]) expect(statSync(file).size).toBeLessThan(MAX_BYTES + 100);
  expect(log.lastLines()).toHaveLength(15);
});
