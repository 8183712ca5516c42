import { expect } from "vitest";

import { signedIn } from "../../support/worker-client.ts";

export type Settings = Record<string, Record<string, Record<string, unknown>>>;
type Applied = {
  made: string[];
  changed: { thing: string; fields: { field: string; from?: unknown; to?: unknown }[] }[];
  unlisted: string[];
};

export const admin = await signedIn();
export const pull = async () => (await admin.send("GET", "/config")).body as Settings;
export const apply = async (settings: unknown, query = "") =>
  await admin.send("POST", `/config?${query}`, settings);
export async function applied(settings: unknown, query = ""): Promise<Applied> {
  const { status, body } = await apply(settings, query);
  expect({ status, body }).toEqual({ status: 200, body: expect.anything() });
  return body as Applied;
}

export const NOTHING = {
  fileSources: {},
  rags: {},
  inferences: {},
  agents: {},
  questionSets: {},
  prices: {},
};
export const UNCHANGED = { made: [], changed: [], unlisted: [] };

export const CREDENTIALS = { accessKeyId: "AKIA", secretAccessKey: "not to be shown" };
export const bucket = (credentials: unknown) => ({
  name: "Bucket",
  provider: "object_storage",
  scanIntervalMinutes: 0,
  config: { endpoint: "https://storage.example", region: "eu", bucket: "b", credentials },
});
export const SERVICE = {
  fileSources: {
    docs: {
      name: "Docs",
      provider: "file_system",
      permissions: "on",
      defaultReaders: ["everyone"],
    },
    web: { name: "Web", provider: "web", scanIntervalMinutes: 0, config: { maxDepth: 1 } },
    bucket: bucket(CREDENTIALS),
  },
  rags: {
    whole: { name: "Whole", fileSource: "docs", chunkSize: 200 },
    part: {
      name: "Part",
      fileSource: "docs",
      scopes: [
        { type: "path", value: "b/" },
        { type: "path", value: "a/" },
      ],
    },
  },
  inferences: {
    ask: {
      name: "Ask",
      systemPrompt: "Answer.",
      model: "embedded/extractive",
      rags: ["whole", "part"],
    },
  },
  agents: {
    agent: { name: "Agent", systemPrompt: "Search.", model: "embedded/extractive", rags: ["part"] },
  },
  questionSets: { questions: { name: "Questions", inference: "ask" } },
  prices: { "chat openai/m": { inputPrice: 1, outputPrice: 2.5, currency: "EUR" } },
};
