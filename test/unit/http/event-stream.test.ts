import { expect, test, vi } from "vitest";

import { eventStream } from "../../../src/http/event-stream.ts";

test("comments keep a silent connection alive", async () => {
  vi.useFakeTimers();
  const quiet = Promise.withResolvers<IteratorResult<string, undefined>>();
  const returned = vi.fn<() => Promise<IteratorResult<string, undefined>>>();
  const texts = { next: () => quiet.promise, return: returned };
  const stream = eventStream({ texts, failureText: () => "failed" });
  await vi.advanceTimersByTimeAsync(15_000);
  const reader = (await stream).getReader();
  const decoder = new TextDecoder();
  const readNext = async () => decoder.decode((await reader.read()).value);
  expect(await readNext()).toBe(": \n\n");
  const second = readNext();
  await vi.advanceTimersByTimeAsync(15_000);
  expect(await second).toBe(": \n\n");
  const third = readNext();
  quiet.reject(new Error("too late for a status"));
  expect(await third).toBe("failed");
  expect(await reader.read()).toMatchObject({ done: true });
});

test("a client that leaves while something is awaited is no failure", async () => {
  const pending = Promise.withResolvers<IteratorResult<string, undefined>>();
  const failureText = vi.fn<() => string>(() => "failed");
  const next = vi.fn<() => Promise<IteratorResult<string, undefined>>>(() => pending.promise);
  next.mockResolvedValueOnce({ done: false, value: "begun" });
  const endWork = () => {
    pending.reject(new Error("the work ended"));
    return Promise.resolve({ done: true as const, value: undefined });
  };
  const reader = (await eventStream({ texts: { next, return: endWork }, failureText })).getReader();
  await reader.read();
  const waiting = reader.read();
  await reader.cancel();
  expect(await waiting).toMatchObject({ done: true });
  await pending.promise.catch(() => {});
  await new Promise((resolve) => setImmediate(resolve));
  expect(failureText).not.toHaveBeenCalled();
});

test("nor where the server tells of it before it cancels the body", async () => {
  const controller = new AbortController();
  const failureText = vi.fn<() => string>(() => "failed");
  const waiting = Promise.withResolvers<IteratorResult<string, undefined>>();
  const next = vi.fn<() => Promise<IteratorResult<string, undefined>>>(() => waiting.promise);
  next.mockResolvedValueOnce({ done: false, value: "begun" });
  const { signal } = controller;
  const reader = (await eventStream({ texts: { next }, failureText, signal })).getReader();
  await reader.read();
  const last = reader.read();
  controller.abort();
  waiting.reject(new Error("the work ended"));
  expect(await last).toMatchObject({ done: true });
  expect(failureText).not.toHaveBeenCalled();
});
