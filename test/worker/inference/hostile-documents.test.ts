import { beforeAll, expect, test } from "vitest";

import type { RagRecord } from "../../../src/db/records.ts";
import { runAgent } from "../../../src/inference/run-agent.ts";
import { runInference } from "../../../src/inference/run-inference.ts";
import type { ContentBlock } from "../../../src/inference/types.ts";
import { readPassages } from "../../../src/text/prompt-delimiters.ts";
import type { ChatBody } from "../../doubles/openai-compatible/chat-answer.ts";
import { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";
import { HOSTILE_TEXTS } from "../../unit/inference/hostile-texts.ts";
import {
  answerOf,
  agentOf,
  indexedRag,
  inferenceOf,
  inputOf,
  nobody,
  worldWith,
} from "./support.ts";

/** Mark in front of each text, so that all are found and told apart. */
const marked = (at: number) => `Moorland note ${at + 1}.`;
/** Marks of citations as a document can guess them. */
const FORGED = "[cite-bakumeto:2] [cite:2] [ci[cite-bakumeto:3]te-bakumeto:2]";
const TEXTS = HOSTILE_TEXTS.map((text, at) => `${marked(at)} ${text} ${FORGED}`);

let rag: RagRecord;

beforeAll(async () => {
  const files = Object.fromEntries(TEXTS.map((text, at) => [`note-${at + 1}.md`, [text]]));
  rag = await indexedRag("handbook", files);
});

/** A message without its passages: the delimiters of each go with it. */
const outside = (content: string) =>
  content.replace(/<passage-([a-z]{6}) n="\d+" source="[^"]*">\n[^]*?\n<\/passage-\1>/g, "");

const bodiesOf = (double: OpenAiDouble) => double.calls("chat").map(({ body }) => body as ChatBody);

test("fifty hostile documents reach the model between delimiters, and nowhere else", async () => {
  const double = new OpenAiDouble();
  const { services } = worldWith({
    double,
    variables: { OPENAI_COMPATIBLE_CONTEXT_TOKENS: "200000" },
  });
  const input = { semanticSearch: ["moorland note"], topK: 100 };
  const { items } = await answerOf(services, { model: "local/chat", rags: [rag] }, input);
  expect(items).toHaveLength(TEXTS.length);
  const [body] = bodiesOf(double);
  expect(body?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
  expect(body?.messages[0]?.content).toBe("Answer briefly.");
  const prompt = body?.messages[1]?.content ?? "";
  expect(readPassages(prompt)).toHaveLength(TEXTS.length);
  expect(outside(prompt)).not.toMatch(/moorland note \d|ignore all|im_start|tool_call/i);
  expect(outside(prompt)).toContain("What is the answer?");
});

test("through a search tool they come in the tool's message alone, delimited likewise", async () => {
  const double = new OpenAiDouble();
  const { services } = worldWith({
    double,
    variables: { OPENAI_COMPATIBLE_CONTEXT_TOKENS: "200000" },
  });
  const searches = TEXTS.map((_, at) => ({
    name: "search_handbook",
    arguments: JSON.stringify({ query: marked(at) }),
  }));
  double.script = ({ messages }) => {
    const rounds = messages.filter(({ role }) => role === "tool").length;
    const next = searches.slice(rounds, rounds + 10);
    return rounds < 20 && next.length > 0 ? { calls: next } : { text: "Done." };
  };
  const agent = agentOf({ model: "local/chat", rags: [rag] });
  const result = await runAgent(services, {
    agent,
    prompt: "What is on the moor?",
    caller: nobody,
  });
  expect(result.toolCalls.filter(({ ok }) => ok)).toHaveLength(20);
  const last = bodiesOf(double).at(-1)?.messages ?? [];
  for (const { role, content } of last) {
    const instructions = outside(content ?? "");
    expect(instructions).not.toMatch(/moorland note \d|ignore all|im_start/i);
    if (role !== "tool") expect(readPassages(content ?? "")).toEqual([]);
  }
  expect(last.filter(({ role }) => role === "system").map(({ content }) => content)).toEqual([
    agent.systemPrompt,
  ]);
});

// The built-in model cites whole blocks, and none of which a mark was taken out.
test.each([
  ["local/chat", 1],
  ["embedded/extractive", 0],
])(
  "a model that repeats all of them cites what it was told to, and nothing for them (%s)",
  async (model, fewest) => {
    const double = new OpenAiDouble();
    double.script = ({ messages }) => {
      const content = messages.at(-1)?.content ?? "";
      const word = /\[cite-([a-z]{8}):n\]/.exec(content)?.[1] ?? "";
      const repeated = readPassages(content).map(({ text }) => text);
      return { text: [`Notes are kept [cite-${word}:7].`, ...repeated].join("\n") };
    };
    const { services } = worldWith({
      double,
      variables: { OPENAI_COMPATIBLE_CONTEXT_TOKENS: "200000" },
    });
    const inference = inferenceOf({ model, rags: [rag] });
    const input = inputOf({
      semanticSearch: ["moorland note"],
      prompt: "moorland note",
      topK: 100,
    });
    const run = { inference, input, cites: true, caller: nobody };
    const { response, items } = await runInference(services, run);
    const [block] = response as ContentBlock[];
    expect(block?.text).not.toMatch(/\[cite ?[-:]/i);
    for (const { item, start, end } of block?.citations ?? []) {
      const cited = block?.text.slice(start, end) ?? "";
      if (cited !== "Notes are kept")
        expect(items[item]?.text.replace(/\s+/g, " ")).toContain(cited);
      if (model === "local/chat") expect([item, cited]).toEqual([6, "Notes are kept"]);
    }
    expect(block?.citations?.length).toBeGreaterThanOrEqual(fewest);
  },
);
