import { expect, test } from "vitest";

import { jsonLog } from "../../../src/core/log.ts";
import { consume } from "../../../src/jobs/consume.ts";
import { parseUsage } from "../../../src/jobs/messages.ts";
import type { Services } from "../../../src/services.ts";
import { usageMessage } from "../../support/usage-message.ts";

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

const USAGE = usageMessage();

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
  expect(parseUsage(log, [bad, good])).toEqual([USAGE]);
  expect([bad.acknowledged, good.acknowledged]).toEqual([1, 0]);
});

test("calls of a later deployment cost no other call of their message", () => {
  const { lines, log } = world();
  const later = { ...USAGE, kind: SECRET, outcome: SECRET };
  const usageMessages = [USAGE, { ...USAGE, id: "u2" }];
  const message = new SentMessage({ calls: [later, ...usageMessages, later] });
  expect(parseUsage(log, [message])).toEqual(usageMessages);
  // It is acknowledged with its batch, when the others are counted.
  expect(message.acknowledged).toBe(0);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('"id":"m1","fields":"kind, outcome"');
  expect(lines[0]).not.toContain(SECRET);
});

test("a message says which of its fields is wrong, not what stood there", () => {
  const { lines, log } = world();
  parseUsage(log, [new SentMessage({ ...USAGE, model: { name: SECRET } })]);
  expect(lines.join()).toContain('"fields":"model"');
  expect(lines.join()).not.toContain(SECRET);
});
