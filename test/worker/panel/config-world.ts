import { expect } from "vitest";

import type { Dice } from "../../support/dice.ts";
import { signedIn } from "../../support/worker-client.ts";

export type Settings = Record<string, Record<string, Record<string, unknown>>>;
type Applied = {
  made: string[];
  changed: { thing: string; fields: { field: string; from?: unknown; to?: unknown }[] }[];
  unlisted: string[];
};

/** Session of the file that signed in last: files share this module, but not the database. */
export let admin: Awaited<ReturnType<typeof signedIn>>;
export const beginAsAdmin = async () => void (admin = await signedIn());
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
  limits: {},
  eventEndpoints: {},
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
  limits: { "service usd month": { amount: 50 }, "inference ask calls day": { amount: 9 } },
  eventEndpoints: {
    "https://receiver.invalid/": { events: ["rag.rebuilt"], ragIdentifiers: ["part"] },
  },
};

const NAMES = ["Ämter & Söhne", "日本語", "a".repeat(200), "'; drop table rags", "{}", "🦦 otters"];
const MODEL = { model: "embedded/extractive", systemPrompt: "" };

/** A service of some sources, RAGs, inferences and agents with odd names. */
export function randomService(dice: Dice): Settings {
  const some = (kind: string, most: number) =>
    Array.from({ length: 1 + dice.roll(most) }, (_, at) => `${kind}-${at}-${dice.roll(1_000)}`);
  const thingsOf = (identifiers: string[], make: () => object) =>
    Object.fromEntries(identifiers.map((id) => [id, { name: dice.pick(NAMES), ...make() }]));
  const [sources, rags] = [some("source", 3), some("rag", 4)];
  const linked = () => dice.shuffle(rags).slice(dice.roll(rags.length));
  return {
    fileSources: thingsOf(sources, () => ({
      provider: "file_system",
      permissions: dice.pick(["on", "off"]),
      defaultReaders: dice.shuffle(["everyone", "group:b@x.example", "user:a@x.example"]),
    })),
    rags: thingsOf(rags, () => ({
      fileSource: dice.pick(sources),
      chunkSize: 16 + dice.roll(3_000),
      chunkOverlap: dice.roll(8),
      status: dice.pick(["active", "paused"]),
      scopes: dice
        .shuffle(["b/ü", "a/", "c/d/"])
        .slice(dice.roll(3))
        .map((value) => ({ type: "path", value })),
    })),
    inferences: thingsOf(some("ask", 3), () => ({
      ...MODEL,
      rags: linked(),
      temperature: dice.pick([null, 0.5]),
    })),
    agents: thingsOf(some("agent", 2), () => ({
      ...MODEL,
      rags: linked(),
      description: dice.pick(NAMES),
    })),
    questionSets: thingsOf(some("set", 2), () => ({ rag: dice.pick(rags) })),
    eventEndpoints: {
      "https://receiver.invalid/": { events: ["scan.failed"], ragIdentifiers: linked() },
    },
    prices: { "embedding a/b": { inputPrice: dice.roll(9) / 7, outputPrice: 0, currency: "EUR" } },
  };
}
