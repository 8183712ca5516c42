import { expect, test } from "vitest";

import { isMassRemoval } from "../../../src/core/mass-removal.ts";
import type { ClaimedFile } from "../../../src/db/files/claim-files.ts";
import { UnreadableDocument } from "../../../src/documents/extracted-document.ts";
import { endOfFailure, labelFailure } from "../../../src/ingestion/indexing/end-file.ts";
import { StepFailure, verdictOf } from "../../../src/ingestion/indexing/end-file.ts";
import { scanFailureVerdict } from "../../../src/ingestion/scanning/scan-source.ts";
import { MAX_TRIES, backOffMs } from "../../../src/ingestion/timeouts.ts";
import { ModelFailure } from "../../../src/ports/models.ts";
import { SourceFailure } from "../../../src/ports/source-reader.ts";
import type { Services } from "../../../src/services.ts";

test("retries after 10 s, 30 s, 2 min and 10 min, a fifth more at most, then stops", () => {
  const waits = [1, 2, 3, 4, 5].map((attempts) => backOffMs(attempts, () => 0));
  expect(waits).toEqual([10_000, 30_000, 120_000, 600_000, null]);
  expect(backOffMs(1, () => 0.999)).toBeLessThanOrEqual(12_000);
});

test("a verdict says in plain words what failed, and never what the platform said", async () => {
  const thrown = await labelFailure("index", async () => {
    throw new Error("https://internal.example/?key=secret");
  }).catch((failure: unknown) => failure);
  expect(verdictOf(thrown, 1)).toMatchObject({ kind: "again", message: "index: failed" });
  expect(verdictOf(new Error("secret"), MAX_TRIES)).toEqual({
    kind: "given-up",
    message: "indexing failed after 5 tries",
  });
  const model = await labelFailure("embedding provider", async () => {
    throw new ModelFailure("429", { retryAfterMs: 90_000 });
  }).catch((failure: unknown) => failure);
  expect(verdictOf(model, 1)).toMatchObject({
    kind: "again",
    message: "embedding provider: 429",
    delayMs: 90_000,
  });
  expect(verdictOf(model, MAX_TRIES)).toEqual({
    kind: "given-up",
    message: "embedding provider: 429 after 5 tries",
  });
});

test("a model that only is slow costs a file no try", async () => {
  const services = { storage: { noRoomSince: null }, now: () => 0 } as unknown as Services;
  const file = { attempts: MAX_TRIES, chunkCount: 0 } as unknown as ClaimedFile;
  const endOf = async (failure: ModelFailure) => {
    const step = labelFailure("embedding provider", () => Promise.reject(failure));
    return await endOfFailure(services, file, await step.catch((thrown: unknown) => thrown));
  };
  const late = new ModelFailure("no answer after 30000 ms", { retryable: true, isLate: true });
  expect(await endOf(late)).toMatchObject({
    end: { status: "pending", isCounted: false },
    again: { reason: "embedding provider: no answer after 30000 ms" },
  });
  const modelFailure = new ModelFailure("500", { status: 500, retryable: true });
  expect(await endOf(modelFailure)).toMatchObject({ end: { status: "error" }, again: null });
});

test("what lies in the document is no matter of trying again", () => {
  expect(verdictOf(new UnreadableDocument("PDF is encrypted"), 1)).toEqual({
    kind: "unreadable",
    message: "PDF is encrypted",
  });
  expect(verdictOf(new SourceFailure("our-limit", "larger than 25 MiB"), 1).kind).toBe(
    "unreadable",
  );
  expect(verdictOf(new SourceFailure("denied", "drive: 403"), 1).kind).toBe("given-up");
  expect(verdictOf(new StepFailure("index: failed", null), 1).kind).toBe("again");
});

test("a scan tries a page again by kind of failure, and says how often it did", () => {
  const throttled = new SourceFailure("throttled", "drive: 429", 120_000);
  const first = scanFailureVerdict(throttled, { step: 3, attempts: 0 });
  expect(first).toEqual({ again: true, message: "drive: 429", delayMs: 120_000 });
  expect(scanFailureVerdict(throttled, { step: 3, attempts: 4 })).toMatchObject({
    again: false,
    message: "drive: 429 after 5 tries",
  });
  // Longer than a run waits: it ends, and the next one begins no sooner than was asked for.
  const long = new SourceFailure("throttled", "drive: 429", 7_200_000);
  expect(scanFailureVerdict(long, { step: 3, attempts: 0 })).toMatchObject({
    again: false,
    delayMs: 7_200_000,
  });
  const anHour = new SourceFailure("throttled", "drive: 429", 3_600_000);
  expect(scanFailureVerdict(anHour, { step: 3, attempts: 0 }).again).toBe(true);
  const broken = new SourceFailure("down", "drive: 503", 3_600_000);
  expect(scanFailureVerdict(broken, { step: 3, attempts: 0 }).again).toBe(false);
  // A server that asks to wait is waited for on the first page, too; another failure ends the run.
  expect(scanFailureVerdict(throttled, { step: 0, attempts: 3 }).again).toBe(true);
  const down = new SourceFailure("down", "drive: 500");
  expect(scanFailureVerdict(down, { step: 0, attempts: 1 }).again).toBe(false);
  const denied = new SourceFailure("denied", "drive: 401");
  expect(scanFailureVerdict(denied, { step: 3, attempts: 0 })).toMatchObject({
    again: false,
    message: "drive: 401",
  });
});

test("removals are held above 20 and above half", () => {
  expect(isMassRemoval(20, 20)).toBe(false);
  expect(isMassRemoval(21, 42)).toBe(false);
  expect(isMassRemoval(22, 42)).toBe(true);
});
