import { expect, test } from "vitest";

import { modelFailed } from "../../../src/core/errors.ts";
import { streamTurn } from "../../../src/protocols/openai/answer-turn.ts";
import { chatCompletions } from "../../../src/protocols/openai/chat-answer.ts";
import { readChat } from "../../../src/protocols/openai/chat-request.ts";
import type { RetrievedChunk } from "../../../src/retrieval/score-chunks.ts";
import { log, resultOf, type Run } from "./run-results.ts";

const chat = (more: object = {}) =>
  readChat({
    model: "agent/helper",
    messages: [{ role: "user", content: "Hello" }],
    stream: true,
    ...more,
  });

type FileCitation = { start_index: number; end_index: number };

async function textOf(run: Run, turn = chat()): Promise<string> {
  const { signal } = new AbortController();
  return await new Response(await streamTurn({ run, signal, log }, turn, chatCompletions)).text();
}

const eventsIn = (text: string) =>
  text
    .trim()
    .split("\n\n")
    .map((event) => event.replace(/^data: /, ""));

const contentIn = (text: string) =>
  eventsIn(text)
    .filter((event) => event.startsWith("{"))
    .map((event) => JSON.parse(event) as { choices?: { delta: { content?: string } }[] })
    .map(({ choices = [] }) => choices[0]?.delta.content ?? "")
    .join("");

test("texts come as they are written; a further text is set off", async () => {
  const streamText = await textOf(async ({ emit }) => {
    await emit({ type: "retrieval", items: [], degradations: [] });
    await emit({ type: "delta", text: "Let me", step: 0 });
    await emit({ type: "delta", text: " look.", step: 0 });
    await emit({ type: "tool", id: "1", tool: "search", state: "started" });
    await emit({ type: "delta", text: "It is so.", step: 1 });
    return resultOf({ finish: "length", degradations: ["reranker: 503"] });
  });
  expect(contentIn(streamText)).toBe("Let me look.\n\nIt is so.");
  const [last, terminator] = eventsIn(streamText).slice(-2);
  expect(JSON.parse(last ?? "")).toMatchObject({
    choices: [{ delta: {}, finish_reason: "length" }],
    degraded: { occurred: true },
  });
  expect(terminator).toBe("[DONE]");
});

const source = { ragIdentifier: "notes", filePath: "a.md" } as RetrievedChunk["source"];
const item: RetrievedChunk = { text: "It is so.", score: 1, source };

test.each<[string, [string, number][]]>([
  ["in one step", [["Yes. It is so.", 0]]],
  [
    "in parts",
    [
      ["Yes. ", 0],
      ["It is so.", 0],
    ],
  ],
  [
    "after another text",
    [
      ["Let me look. It is so.", 0],
      ["Yes. It ", 1],
      ["is so.", 1],
    ],
  ],
  [
    "before a blank text",
    [
      ["Wait.", 0],
      ["Yes. It is so.", 1],
      [" \n", 2],
      ["\n", 2],
    ],
  ],
])("annotations of a stream point into all of its content: %s", async (_, deltas) => {
  const citations = [{ item: 0, start: 5, end: 14 }];
  const response = [{ type: "text" as const, text: "Yes. It is so.", citations }];
  const streamText = await textOf(
    async ({ emit }) => {
      for (const [text, step] of deltas) await emit({ type: "delta", text, step });
      return resultOf({ response, items: [item] });
    },
    chat({ includeSources: true }),
  );
  const { choices } = JSON.parse(eventsIn(streamText).at(-2) ?? "") as {
    choices: { delta: { annotations: { file_citation: FileCitation }[] } }[];
  };
  const [annotation] = choices[0]?.delta.annotations ?? [];
  expect(annotation?.file_citation).toMatchObject({ file_id: "notes/a.md", filename: "a.md" });
  const { start_index, end_index } = annotation?.file_citation ?? { start_index: 0, end_index: 0 };
  const content = contentIn(streamText);
  expect(content.slice(start_index, end_index)).toBe("It is so.");
  expect(content.slice(start_index - 5, start_index)).toBe("Yes. ");
  const whole = content.slice(0, start_index - 5).trim();
  expect(["", "Let me look. It is so.", "Wait."]).toContain(whole);
});

test("structured output that looks like citations is the caller's own", async () => {
  const response = [{ type: "text", text: "a", citations: "none" }];
  const response_format = { type: "json_object" };
  const turn = chat({ includeSources: true, response_format });
  const streamText = await textOf(async () => resultOf({ response, items: [item] }), turn);
  expect(contentIn(streamText)).toBe(JSON.stringify(response));
  expect(streamText).not.toContain("annotations");
  expect(eventsIn(streamText).at(-1)).toBe("[DONE]");
});

test("an answer that nobody heard comes whole", async () => {
  expect(contentIn(await textOf(async () => resultOf()))).toBe("All of it.");
  const response_format = { type: "json_object" };
  const structured = await textOf(
    async () => resultOf({ response: { a: 1 } }),
    chat({ response_format }),
  );
  expect(contentIn(structured)).toBe('{"a":1}');
});

test("the first bytes come when the passages were found, before the answer", async () => {
  const gate = Promise.withResolvers<void>();
  const run: Run = async ({ emit }) => {
    await gate.promise;
    await emit({ type: "retrieval", items: [], degradations: [] });
    return await new Promise(() => {});
  };
  const { signal } = new AbortController();
  let hasBegun = false;
  const stream = streamTurn({ run, signal, log }, chat(), chatCompletions);
  void stream.then(() => (hasBegun = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasBegun).toBe(false);
  gate.resolve();
  const reader = (await stream).getReader();
  const first = new TextDecoder().decode((await reader.read()).value);
  expect(first).toContain('"delta":{"role":"assistant","content":""}');
  await reader.cancel();
});

test("a failure is thrown before the first byte, and the last event after it", async () => {
  const failing: Run = () =>
    Promise.reject(modelFailed("Model call failed: provider answered 503"));
  await expect(textOf(failing)).rejects.toThrow("provider answered 503");
  const streamText = await textOf(async ({ emit }) => {
    await emit({ type: "delta", text: "It", step: 0 });
    throw modelFailed("Model call failed: provider answered 503");
  });
  const last = eventsIn(streamText).at(-1) ?? "";
  expect(JSON.parse(last)).toEqual({
    error: {
      message: "Model call failed: provider answered 503",
      type: "server_error",
      param: null,
      code: "model_failed",
    },
  });
  expect(streamText).not.toContain("[DONE]");
});

/** Texts that cannot be made of an event. */
const failingTexts = {
  teller: () => ({
    // oxlint-disable-next-line require-yield -- it fails at the first event
    texts: async function* (events: AsyncIterable<unknown>): AsyncGenerator<string> {
      for await (const _ of events) throw new Error("unexpected");
    },
    failureEvent: () => "",
  }),
};

test.for(["a reader that goes away ends", "texts that fail end"])("%s the run", async (what) => {
  let hasEnded = false;
  const run: Run = async ({ emit, signal }) => {
    await emit({ type: "delta", text: "It", step: 0 });
    return await new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        hasEnded = true;
        reject(new Error("aborted"));
      });
    });
  };
  const { signal } = new AbortController();
  const running = { run, signal, log };
  if (what === "texts that fail end") {
    await expect(streamTurn(running, chat(), failingTexts)).rejects.toThrow("unexpected");
  } else {
    const reader = (await streamTurn(running, chat(), chatCompletions)).getReader();
    await reader.read();
    await reader.cancel();
  }
  expect(hasEnded).toBe(true);
});
