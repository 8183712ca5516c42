import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";

import { openDatabase } from "../../../src/db/sql.ts";
import { questionParts } from "../../../src/panel/archive/rest-of-import.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { call, ORIGIN, outcomeOf } from "../../support/worker-client.ts";
import { admin, beginAsAdmin, exported, imported } from "./archive-world.ts";

let bytes: Uint8Array<ArrayBuffer>;
const QUESTIONS = [
  {
    question: "Wo liegt der Böiler? 🧱",
    expected: [
      { file: "a/Böiler #1.md", passage: "in the cellar" },
      { file: "b%2F.md", passage: null },
    ],
  },
  {
    question: "How many stones?",
    check: "json",
    answer: "[3]",
    jsonSchema: '{"type":"array"}',
    expected: [],
  },
];
const LONG = { check: "contains", answer: "x".repeat(4_000) };

async function questionsOf(set: string) {
  const { body } = await admin.send("GET", `/question-sets/${set}/export`);
  return String(body).split("\n").filter(Boolean);
}

beforeAll(async () => {
  await beginAsAdmin();
  await admin.folderWithRag("Docs");
  await admin.create("/inferences", {
    name: "Ask",
    systemPrompt: "",
    model: "embedded/extractive",
    rags: ["docs"],
  });
  await admin.create("/question-sets", { name: "Answers", inference: "ask" });
  await admin.create("/question-sets", { name: "Empty", rag: "docs" });
  const many = Array.from({ length: 280 }, (_, at) => ({ ...LONG, question: `long ${at}` }));
  // More than a file with questions may have.
  for (const some of [many.slice(0, 140), many.slice(140), QUESTIONS]) {
    const lines = some.map((line) => JSON.stringify(line)).join("\n");
    const answer = await call("POST", "/panel/api/question-sets/answers/import", {
      headers: { Cookie: admin.cookie, Origin: ORIGIN, "Content-Type": "application/x-ndjson" },
      body: lines,
    });
    expect(outcomeOf(answer)).toBe("200 ");
  }
  await queuesSettled();
  bytes = await exported("all=true");
});

test("questions and what they expect come back, under other names too", async () => {
  const before = await questionsOf("answers");
  expect(before).toHaveLength(282);
  await imported(bytes, "onConflict=rename");
  expect(await questionsOf("answers-2")).toEqual(before);
  expect(await questionsOf("empty-2")).toEqual([]);
});

test("replacing a set removes questions that the archive lacks", async () => {
  const before = await questionsOf("answers");
  await admin.create("/question-sets/answers/questions", {
    question: "Later?",
    expected: [{ file: "x.md" }],
  });
  await admin.create("/question-sets/empty/questions", {
    question: "Now one?",
    expected: [{ file: "x.md" }],
  });
  await imported(bytes, "onConflict=replace");
  expect(await questionsOf("answers")).toEqual(before);
  expect(await questionsOf("empty")).toEqual([]);
});

test("a set that is made while an archive is written is absent from it", async () => {
  const names: string[] = [];
  const parts = questionParts({ db: openDatabase(env.DB) }, { earlier: {} });
  for await (const { name } of parts) names.push(name);
  expect(names).toEqual([]);
});
