import { expect, test } from "vitest";

import { Dice } from "../../support/dice.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { SEED } from "../../support/seed.ts";
import { outcomeOf } from "../../support/worker-client.ts";
import { admin, beginAsAdmin, exported, imported, readService } from "./archive-world.ts";

const WORDS = "otter boiler leave stone Zürich naïve 🧱 北京 spring valve ticket %2F".split(" ");
const FOLDERS = ["", "a/", "a b/", "Bücher/", "%2F/", "📁/sub folder/", "cafe\u0301/"];
const NAMES = ["note", "nf\u0063\u0327", "100% sure", "#1 & ?", "🧱", "a%2Fb", "v1.2"];
const OLD = "\\..\\old.md";
const ENDINGS = [".md", ".txt", ".csv", ".jsonl", ".html"];
const READERS = ['["everyone"]', '["group:hr@example.com"]', '["user:ann@example.com"]', "[]"];
const SUFFIX = "copy";
const SOURCES = 2;

const textOf = (dice: Dice, words: number) =>
  Array.from({ length: words }, (_, at) => dice.pick(WORDS) + (at % 9 === 8 ? ".\n\n" : " ")).join(
    "",
  );

type Made = { source: string; rags: string[] };

/** A source with files, readers, exclusions and RAGs by the dice. */
async function makeSource(dice: Dice, source: string): Promise<Made> {
  const permissions = dice.chance(0.5) ? "on" : "off";
  const readers = permissions === "on" ? { defaultReaders: ["everyone"] } : {};
  await admin.create("/file-sources", {
    name: source,
    provider: "file_system",
    permissions,
    ...readers,
  });
  const rags = Array.from({ length: 1 + dice.roll(2) }, (_, at) => `${source}-r${at}`);
  const folder = dice.pick(FOLDERS.slice(1));
  for (const name of rags) {
    const chunkSize = dice.pick([40, 120, 400]);
    const scopes = dice.chance(0.4) ? { scopes: [{ type: "path", value: folder }] } : {};
    const searchMode = dice.pick(["hybrid", "semantic"]);
    const recencyHalfLifeDays = dice.pick([null, 30]);
    const settings = { chunkSize, chunkOverlap: 10, searchMode, recencyHalfLifeDays, ...scopes };
    await admin.create("/rags", { name, fileSource: source, ...settings });
  }
  const paths = new Set(
    Array.from({ length: 6 }, () => dice.pick(FOLDERS) + dice.pick(NAMES) + dice.pick(ENDINGS)),
  );
  for (const path of [...paths, `${folder}inside.md`, OLD]) {
    const address = `/file-sources/${source}/files/${path.split("/").map(encodeURIComponent).join("/")}`;
    const more = {
      "X-File-Metadata": JSON.stringify({ tag: dice.pick(ENDINGS), nth: dice.roll(9) }),
      "X-File-Modified": `${path === OLD ? 1926 : 2026}-0${1 + dice.roll(9)}-04T05:06:07Z`,
      ...(permissions === "on" ? { "X-File-Readers": dice.pick(READERS) } : {}),
    };
    const text = textOf(dice, dice.pick([0, 1, 40, 300]));
    expect((await admin.put(address, text, "text/plain", more)).status).toBeLessThan(300);
  }
  const excluded = { path: dice.pick([...paths]), excluded: true };
  const answer = await admin.send("PUT", `/file-sources/${source}/exclusions`, excluded);
  expect(outcomeOf(answer)).toBe("204 ");
  const [rag = ""] = rags;
  await admin.create("/question-sets", { name: `${source}-q`, rag });
  for (let at = dice.roll(3); at >= 0; at--) {
    const expected = [{ file: dice.pick([...paths]), passage: dice.pick([null, "a stone"]) }];
    await admin.create(`/question-sets/${source}-q/questions`, {
      question: `${at} ${textOf(dice, 4)}?`,
      expected,
    });
  }
  return { source, rags };
}

const TIMES = new Set(["id", "createdAt", "updatedAt", "fileSourceId"]);

/** All that the API says of it, scores to three decimals and without the suffix. */
async function readAll({ source, rags }: Made, suffix: string): Promise<unknown> {
  const names = rags.map((rag) => rag + suffix);
  const questions = ["boiler stone", "naïve 北京"];
  const service = await readService(source + suffix, names, questions);
  const bodyOf = async (path: string) => (await admin.send("GET", path)).body;
  const settings = await Promise.all(names.map((name) => bodyOf(`/rags/${name}`)));
  const exportedQuestions = await bodyOf(`/question-sets/${source}-q${suffix}/export`);
  const whole = {
    ...service,
    settings,
    asked: exportedQuestions,
    itself: await bodyOf(`/file-sources/${source}${suffix}`),
  };
  const text = JSON.stringify(whole, (key, value: unknown) => {
    if (TIMES.has(key)) return undefined;
    const isScore = typeof value === "number" && !Number.isInteger(value);
    return isScore ? Number(value.toFixed(3)) : value;
  });
  return JSON.parse(text.replaceAll(`-${SUFFIX}`, "").replaceAll(` (${SUFFIX})`, "")) as unknown;
}

test("a service by the dice is equal in every read after an import", async () => {
  await beginAsAdmin();
  const dice = new Dice(SEED);
  const sources: Made[] = [];
  for (let at = 0; at < SOURCES; at++) sources.push(await makeSource(dice, `s${at}`));
  await queuesSettled();
  const before = await Promise.all(sources.map((entry) => readAll(entry, "")));
  const bytes = await exported("all=true");
  const result = await imported(bytes, `onConflict=rename&suffix=${SUFFIX}`);
  expect(result).toMatchObject({ state: "done", embedderCalls: 0 });
  expect(result.passages).toBeGreaterThan(10);
  const after = await Promise.all(sources.map((entry) => readAll(entry, `-${SUFFIX}`)));
  expect(after).toEqual(before);
});
