import { expect, test } from "vitest";

import { jsonLog } from "../../../src/core/log.ts";
import type { UsageMessage } from "../../../src/ports/job-queue.ts";
import type { Services } from "../../../src/services.ts";
import { consume } from "../../../src/jobs/consume.ts";
import { parseMessages, usageMessage } from "../../../src/jobs/messages.ts";

const QUEUES = ["scan", "index", "usage", "scan-dead", "index-dead", "usage-dead"];
const SECRET = "a text that belongs in no log";

class SentMessage {
  readonly id = "m1";
  readonly timestamp = new Date(0);
  readonly attempts = 1;
  readonly body: unknown;
  acknowledged = 0;
  retried = 0;

  constructor(body: unknown) {
    this.body = body;
  }

  ack() {
    this.acknowledged += 1;
  }

  retry() {
    this.retried += 1;
  }
}

const emptyDatabase = {
  $client: {
    prepare: () => ({ bind: () => null }),
    batch: async (statements: unknown[]) => statements.map(() => ({ results: [] })),
  },
};

function world() {
  const lines: string[] = [];
  const log = jsonLog((_level, line) => lines.push(line));
  const services = { log, now: () => 0, db: emptyDatabase } as unknown as Services;
  return { lines, services, log };
}

const USAGE: UsageMessage = {
  id: "u1",
  at: 0,
  kind: "inference",
  inferenceId: "i",
  agentId: null,
  ragIds: ["r"],
  tokenId: "t",
  model: "m",
  inputTokens: 1,
  outputTokens: 1,
  cost: null,
  currency: null,
  latencyMs: 5,
  outcome: "ok",
};

test.each(QUEUES)("a message that no schema knows is logged and dropped: %s", async (queue) => {
  const { lines, services } = world();
  const message = new SentMessage({ kind: "later", prompt: SECRET });
  const batch = { queue: `quarry-${queue}`, messages: [message] };
  await consume(services, batch as unknown as MessageBatch);
  expect([message.acknowledged, message.retried]).toEqual([1, 0]);
  const defects = lines.filter((line) => line.includes("message not understood"));
  expect(defects).toHaveLength(1);
  expect(defects[0]).toContain('"id":"m1"');
  expect(lines.join()).not.toContain(SECRET);
});

test("the messages beside one that is not understood are handed on", () => {
  const { log } = world();
  const bad = new SentMessage({ ...USAGE, latencyMs: "5" });
  const good = new SentMessage(USAGE);
  const parsed = parseMessages(log, usageMessage, [bad, good]);
  expect(parsed.map(({ content }) => content)).toEqual([[USAGE]]);
  expect([bad.acknowledged, good.acknowledged]).toEqual([1, 0]);
});

test("a message says which of its fields is wrong, not what stood there", () => {
  const { lines, log } = world();
  parseMessages(log, usageMessage, [new SentMessage({ ...USAGE, model: { name: SECRET } })]);
  expect(lines.join()).toContain('"fields":"calls.0.model"');
  expect(lines.join()).not.toContain(SECRET);
});
