import { beforeEach, expect, test } from "vitest";

import { markdownConversion } from "../../../../src/adapters/cloudflare/workers-ai.ts";
import { WorkersAiDouble } from "../../../doubles/workers-ai/workers-ai-double.ts";

let ai: WorkersAiDouble;
beforeEach(() => {
  ai = new WorkersAiDouble();
  ai.documents.set("picture.png", "The lock gates open at 6:15.");
});

const convert = (mediaType: string, gatewayId?: string) =>
  markdownConversion({ ai, gatewayId }, "workers-ai/to-markdown").read(
    { bytes: new Uint8Array([1]), mediaType },
    AbortSignal.timeout(10_000),
  );

test("the name that the service puts above a picture is no part of its text", async () => {
  expect(await convert("image/png")).toMatchObject({ text: "The lock gates open at 6:15." });
});

test("a missing capacity is tried again, an unreadable picture is a failure", async () => {
  ai.fail("markdown", { kind: "status", status: 429 }, 2);
  expect(await convert("image/png")).toMatchObject({ ending: "whole" });
  expect(ai.conversions).toHaveLength(3);
  await expect(convert("image/gif")).rejects.toThrow("it cannot be converted");
});

test("it goes through the AI Gateway that is named, and through none otherwise", async () => {
  await convert("image/png", "gate");
  await convert("image/png");
  expect(ai.conversions.map(({ options }) => options?.gateway)).toEqual([
    { id: "gate" },
    undefined,
  ]);
});
