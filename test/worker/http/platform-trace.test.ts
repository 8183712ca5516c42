import { tracing } from "cloudflare:workers";
import { expect, test } from "vitest";

import { platformTrace } from "../../../src/adapters/cloudflare/platform-trace.ts";

test("work within a span of the runtime returns and throws what it does without", async () => {
  expect(tracing).toHaveProperty("enterSpan");
  const trace = platformTrace(tracing);
  const result = await trace("outer", async (note) => {
    note({ "outer.size": 3, "outer.whole": true, "outer.name": "notes" });
    return await trace("inner", () => Promise.resolve("found"));
  });
  expect(result).toBe("found");
  await expect(trace("lost", () => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
});

test("what is noted stands on the span of that name", async () => {
  const spans: [string, unknown][] = [];
  const tracing = {
    enterSpan: (name: string, work: (span: unknown) => unknown) =>
      work({ setAttributes: (facts: unknown) => spans.push([name, facts]) }),
  } as unknown as Tracing;
  await platformTrace(tracing)("retrieval", (note) => Promise.resolve(note({ chunks: 5 })));
  expect(spans).toEqual([["retrieval", { chunks: 5 }]]);
});

test("where the platform traces nothing, the work just runs", async () => {
  expect(await platformTrace(undefined)("any", () => Promise.resolve(7))).toBe(7);
});
