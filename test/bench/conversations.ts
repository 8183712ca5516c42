import { readFileSync } from "node:fs";
import { join } from "node:path";

import { serveOpenAi } from "../doubles/openai-compatible/serve.ts";
import { ask, pushFiles, startService, type Service } from "./support/fresh-service.ts";
import { rewritingDouble } from "./support/rewriting-double.ts";
import { medianOf } from "./support/time-calls.ts";

const KINDS = ["swap", "topic", "detail", "change"] as const;
const LANGUAGES = ["en", "de", "fr"] as const;
/** As an inference searches for a program at `/v1`. */
const TOP_K = 5;
const CONVERSATION_DEPTH = 3;
/** The answer itself is not measured. */
const ANSWER_TOKENS = 16;

type Conversation = {
  language: (typeof LANGUAGES)[number];
  /** The part that the last turn leaves out: all but the subject, the subject, both, or nothing. */
  kind: (typeof KINDS)[number];
  /** The user's and the model's in turn. */
  turns: string[];
  /** The last turn as a question that stands alone. */
  question: string;
  file: string;
};

/**
 * How often the last turn of a conversation finds the right file, and a question for several things
 * all of theirs. Questions are written by rules, or with `--model URL NAME` by a model behind an
 * OpenAI-compatible server.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const at = args.indexOf("--model");
  const [url, name = "double"] = at === -1 ? [] : args.slice(at + 1);
  const double = url === undefined ? await serveOpenAi(rewritingDouble()) : null;
  const model = `local/${name}`;
  const settings = { systemPrompt: "Answer from the passages.", model, rags: ["bench"] };
  const inferences = [
    { name: "Rewriting", ...settings },
    { name: "Last", ...settings, conversation: "last-message" },
    { name: "Planning", ...settings, planning: "on" },
  ];
  const vars = [`OPENAI_COMPATIBLE_BASE_URL:${url ?? double?.baseUrl}`];
  const { service, stop } = await startService([{ name: "bench" }], { vars, inferences });
  try {
    await pushFiles(service, "bench", readDocuments());
    const conversations = await conversationRows(service);
    console.table(conversations.rows);
    const wide = await wideRows(service);
    console.table(wide);
    return { model, conversations, wide };
  } finally {
    await stop();
    await double?.close();
  }
}

const readSet = (name: string) =>
  readFileSync(join(import.meta.dirname, "questions", name), "utf8").trim();

const readConversations = () =>
  readSet("conversations.jsonl")
    .split("\n")
    .map((line) => JSON.parse(line) as Conversation);

const readDocuments = () =>
  readSet("conversation-documents.txt")
    .split(/^=== /m)
    .filter((part) => part !== "")
    .map((part) => {
      const end = part.indexOf("\n");
      return { path: part.slice(0, end), text: part.slice(end + 1) };
    });

type Rank = Conversation & { isHit: boolean };

async function conversationRows(service: Service) {
  const set = readConversations();
  const timed: { rewriting: Turn; last: Turn }[] = [];
  const searches: [string, (conversation: Conversation) => Promise<string[]> | string[]][] = [
    ["the question in full", ({ question }) => [question]],
    [
      "the model's questions",
      async ({ turns }) => {
        const rewriting = await say(service, "rewriting", turns);
        timed.push({ rewriting, last: await say(service, "last", turns) });
        return rewriting.questions;
      },
    ],
    ["the last message", ({ turns }) => turns.slice(-1)],
    [
      "the last message, and the last two together (built-in model)",
      ({ turns }) => [turns.at(-1) ?? "", `${turns.at(-3)}\n${turns.at(-1)}`],
    ],
    [
      "the last message, and the one before it",
      ({ turns }) => [turns.at(-1) ?? "", turns.at(-3) ?? ""],
    ],
  ];
  const rows: Record<string, unknown>[] = [];
  for (const [search, queriesOf] of searches) {
    const ranks: Rank[] = [];
    for (const conversation of set) {
      const files = await filesFor(service, await queriesOf(conversation));
      ranks.push({
        ...conversation,
        isHit: files.slice(0, CONVERSATION_DEPTH).includes(conversation.file),
      });
    }
    rows.push({ search, ...summary(ranks) });
  }
  const extraMs = Math.round(
    medianOf(timed.map(({ rewriting, last }) => rewriting.firstMs - last.firstMs)),
  );
  const extraTokens = medianOf(timed.map(({ rewriting, last }) => rewriting.tokens - last.tokens));
  console.log(`a call more: ${extraMs} ms, ${extraTokens} tokens (medians)`);
  return { rows, extraMs, extraTokens };
}

function summary(ranks: Rank[]) {
  const share = (subset: Rank[]) =>
    percent(subset.filter(({ isHit }) => isHit).length, subset.length);
  const by = (field: "kind" | "language", values: readonly string[]) =>
    Object.fromEntries(
      values.map((value) => [value, share(ranks.filter((rank) => rank[field] === value))]),
    );
  return { hitAt3: share(ranks), ...by("kind", KINDS), ...by("language", LANGUAGES) };
}

/** Whether all files of a question are among the first five. */
async function wideRows(service: Service): Promise<Record<string, unknown>[]> {
  const wide = readSet("wide.txt")
    .split("\n")
    .map((line) => {
      const [question = "", files = ""] = line.split(" | ");
      return { question, files: files.split("|") };
    });
  const single = readConversations().map(({ question, file }) => ({ question, files: [file] }));
  const rows: Record<string, unknown>[] = [];
  for (const [questions, set] of [
    ["several things", wide],
    ["one thing", single],
  ] as const) {
    const row = { questions, count: set.length, off: 0, on: 0 };
    for (const { question, files } of set) {
      const { questions: planned } = await say(service, "planning", [question]);
      for (const [how, queries] of [
        ["off", [question]],
        ["on", planned],
      ] as const) {
        const results = await filesFor(service, queries);
        if (files.every((file) => results.includes(file))) row[how] += 1;
      }
    }
    const { off, on, ...rest } = row;
    rows.push({ ...rest, offHitAt5: percent(off, set.length), onHitAt5: percent(on, set.length) });
  }
  return rows;
}

type Turn = { questions: string[]; firstMs: number; tokens: number };

/** Streams an answer at `/v1`, and returns its queries, its start and its tokens. */
async function say({ url, token }: Service, inference: string, turns: string[]): Promise<Turn> {
  const messages = turns.map((content, at) => {
    return { role: at % 2 === 0 ? "user" : "assistant", content };
  });
  const startedAt = performance.now();
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
    body: JSON.stringify({
      model: `inference/${inference}`,
      messages,
      max_completion_tokens: ANSWER_TOKENS,
      stream: true,
      stream_options: { include_usage: true },
    }),
  });
  const firstMs = performance.now() - startedAt;
  const text = await response.text();
  if (!response.ok) throw new Error(`/v1/chat/completions: ${response.status} ${text}`);
  const chunks = text.split("\n").flatMap((line) => {
    return line.startsWith("data: {") ? [JSON.parse(line.slice("data: ".length)) as Chunk] : [];
  });
  const questions = chunks[0]?.retrieval?.questions ?? turns.slice(-1);
  return { questions, firstMs, tokens: chunks.at(-1)?.usage?.total_tokens ?? 0 };
}

type Chunk = { retrieval?: { questions: string[] }; usage?: { total_tokens: number } };

async function filesFor(service: Service, queries: readonly string[]): Promise<string[]> {
  const wide = { topK: TOP_K, useReranking: true, candidateMultiplier: 4 };
  const body = { semanticSearch: queries, includeSources: true, ...wide };
  const { chunks } = await ask<Retrieved>(service, "inferences/bench/retrieve", body);
  return [...new Set(chunks.map(({ source }) => source.filePath))];
}

type Retrieved = { chunks: { source: { filePath: string } }[] };

const percent = (part: number, total: number) => Math.round((1_000 * part) / total) / 10;
