import { expect, test } from "vitest";
import { z } from "zod";

import { PROVIDERS, SOURCES } from "../../../src/sources/registry.ts";
import {
  configFields,
  secretOf,
  sourceManifest,
  type SourceManifest,
} from "../../../src/sources/source-manifest.ts";

/** All that a provider needs: a folder of feeds, each item a file. */
const feeds = sourceManifest({
  id: "feeds",
  name: "Feeds",
  summary: "The items of RSS feeds.",
  config: z.object({
    feed: z.url().meta({ label: "Feed", input: "url", destination: true }),
    key: z.string().optional().meta({ label: "Key", secret: true }),
  }),
  open: async ({ feed }) => ({
    list: async () => ({ files: [listed(feed)], deleted: [], next: null }),
    open: async () => ({
      outcome: "opened",
      body: new Blob(["An item."]).stream(),
      size: 8,
      mimeType: "text/plain",
    }),
  }),
});

const listed = (path: string) => ({
  path,
  externalId: null,
  url: path,
  name: "item",
  size: 8,
  mimeType: "text/plain",
  version: "1",
  metadata: {},
  sourceState: null,
});
type Tools = Parameters<NonNullable<SourceManifest["open"]>>[1];
const tools = {} as Tools;

test("a provider is one manifest: its form, its secret and its reader come from it", async () => {
  const shown = configFields(feeds.config).map(({ path, meta, isSecret, isRequired }) => {
    return { path, label: meta.label, isSecret, isRequired };
  });
  expect(shown).toEqual([
    { path: ["feed"], label: "Feed", isSecret: false, isRequired: true },
    { path: ["key"], label: "Key", isSecret: true, isRequired: false },
  ]);
  expect(secretOf(feeds)).toBe("key");
  const reader = await feeds.open?.({ feed: "https://x.example/rss" }, tools);
  const page = await reader?.list(null, new AbortController().signal);
  expect(page?.files.map(({ path }) => path)).toEqual(["https://x.example/rss"]);
  await expect(feeds.open?.({ feed: 7 }, tools)).rejects.toThrow("not usable: feed");
});

test("each provider of the registry has words, and a form with labels", () => {
  expect(PROVIDERS).toEqual([
    "file_system",
    "cloud_drive",
    "object_storage",
    "document_site",
    "web",
  ]);
  expect(new Set(SOURCES.map(({ id }) => id)).size).toBe(SOURCES.length);
  for (const { name, summary, open, config } of SOURCES) {
    expect(`${name}: ${summary}`).toMatch(/^\w.*: \w.*\.$/);
    const labels = configFields(config).filter(({ meta }) => meta.label !== undefined);
    expect({ name, hasForm: labels.length > 0 }).toEqual({ name, hasForm: open !== null });
  }
});
