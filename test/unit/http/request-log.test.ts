import { expect, test } from "vitest";

import { jsonLog } from "../../../src/core/log.ts";
import { RequestLog } from "../../../src/http/request-log.ts";

test("a request is one line; trouble, repeats and what comes later have their own", () => {
  const lines: unknown[] = [];
  const plain = jsonLog((_, line) => void lines.push(JSON.parse(line)), { requestId: "r1" });
  const log = new RequestLog(plain);
  log.info("retrieval", { chunks: 5 });
  log.warn("usage not recorded", { kind: "retrieve" });
  log.info("retrieval", { chunks: 7 });
  const records: object[] = [];
  const record = (notes: object, isFirst: boolean) => void records.push({ ...notes, isFirst });
  log.note({ degraded: ["reranker: no answer"], legs: { searchMs: 2 } });
  log.end("request", { status: 200 }, record);
  log.end("request", { status: 499 }, record);
  log.note({ outputTokens: 4, legs: { modelMs: 3 } });
  log.info("retrieval", { chunks: 9 });
  const entry = (level: string, event: string) => ({ level, event, requestId: "r1" });
  expect(lines).toEqual([
    { ...entry("warn", "usage not recorded"), kind: "retrieve" },
    { ...entry("info", "retrieval"), chunks: 7 },
    { ...entry("info", "request"), status: 200, retrieval: { chunks: 5 } },
    { ...entry("info", "retrieval"), chunks: 9 },
  ]);
  const first = { degraded: ["reranker: no answer"] };
  expect(records).toEqual([
    { ...first, isFirst: true, legs: { searchMs: 2 } },
    { ...first, isFirst: false, outputTokens: 4, legs: { searchMs: 2, modelMs: 3 } },
  ]);
});
