import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { FileSourceId, InferenceId, RagId } from "../../../src/core/ids.ts";
import { scopesOf } from "../../../src/db/catalog/rag-scope-store.ts";
import { findRagRecord, insertRag, markRagRemoved } from "../../../src/db/catalog/rag-writes.ts";
import { inferenceRows } from "../../../src/db/catalog/runner-store.ts";
import {
  findSourceRow,
  insertSource,
  markSourceRemoved,
} from "../../../src/db/catalog/source-store.ts";
import { openDatabase } from "../../../src/db/sql.ts";
import { usualSettings } from "../../support/rag-record.ts";

const db = openDatabase(env.DB);
const source = "source-id" as FileSourceId;
const ragIds = ["rag-b", "rag-a"] as RagId[];

test("records of joined tables keep their own columns, in a batch too", async () => {
  await insertSource(db, {
    id: source,
    name: "The source",
    identifier: "the-source",
    provider: "file_system",
    config: { a: [1] },
    webhookSecretHash: "",
    createdAt: 1,
  });
  for (const id of ragIds) {
    const rag = {
      ...usualSettings(`Name of ${id}`),
      id,
      identifier: `identifier-${id}`,
      fileSourceId: source,
      scopeMode: "scoped" as const,
      scopes: [{ type: "path" as const, value: "a/'b\"/" }],
      embeddingModel: "embedded/hash",
      dimensions: 64,
      passagePrefix: "",
      longestPassage: 4_000,
      format: 1,
      vectorsIn: "object" as const,
      createdAt: 2,
    };
    expect(await insertRag(db, rag)).toBe(true);
    expect(await insertRag(db, { ...rag, id: `other-${id}` as RagId })).toBe(false);
  }
  expect(await scopesOf(db, "rag-a" as RagId)).toEqual([{ type: "path", value: "a/'b\"/" }]);
  const rag = await findRagRecord(db, "identifier-rag-a");
  expect(rag).toMatchObject({
    id: "rag-a",
    name: "Name of rag-a",
    fileSource: { id: "source-id", name: "The source", provider: "file_system" },
    dimensions: 64,
    shards: 1,
    vectorsIn: "object",
    // Its files were not looked through yet: at least one may be coming.
    totalFiles: 1,
  });

  const inference = {
    id: "inference-id" as InferenceId,
    name: "I",
    identifier: "i",
    systemPrompt: "",
    model: "embedded/extractive",
    temperature: null,
    maxOutputTokens: null,
    openToMembers: false,
    createdAt: 3,
    nativeRag: false,
    conversation: "last-message" as const,
    planning: "on" as const,
  };
  await inferenceRows.insert(db, inference, ragIds);
  const record = await inferenceRows.find(db, "i");
  expect(record).toMatchObject({ ...inference, rags: [{ id: "rag-a" }, { id: "rag-b" }] });
  const listing = await inferenceRows.list(db, { offset: 0, limit: 5 });
  expect(listing).toEqual({ data: [record], total: 1 });

  expect(await markRagRemoved(db, "rag-a" as RagId, 4)).toBe(false);
  expect(await markSourceRemoved(db, source, 4)).toBe(false);
  expect(await findSourceRow(db, "the-source")).toMatchObject({
    source: { id: "source-id", config: { a: [1] }, scanAgain: false },
    lastScan: null,
  });
});
