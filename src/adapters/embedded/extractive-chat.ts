import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4Text,
  LanguageModelV4ToolCall,
} from "@ai-sdk/provider";

import { Budget, BudgetSpent } from "../../core/work/step-budget.ts";
import { ModelFailure, passageSource } from "../../ports/models.ts";
import { readPassages, readRequest } from "../../text/prompt-delimiters.ts";
import { answerOf, quotationOf } from "./extractive/answer.ts";
import type { Quotation } from "./extractive/answer.ts";
import { evidenceOf } from "./extractive/evidence.ts";
import { fillSchema, Unfilled } from "./extractive/fill-schema.ts";
import { asNode } from "./extractive/schema.ts";

/** About four characters make a token; used only for the reported usage. */
const CHARACTERS_PER_TOKEN = 4;
const NOTHING_TO_QUOTE =
  "There are no passages to answer from, and the embedded model can only quote.";
/** Text beyond this is ignored: it would block the thread for seconds. */
const REQUEST_LIMIT_CHARACTERS = 100_000;
const PASSAGES_LIMIT_CHARACTERS = 200_000;
/** Limit for filling a schema: about a second. */
const MAX_STEPS = 6_000_000;

/**
 * `embedded/extractive`: no language model. It quotes the passage that answers, or says that the
 * documents do not seem to; fills a JSON Schema where a sentence gives the values; and, given
 * tools, first calls each with the prompt. Deterministic, without network.
 */
export function extractiveChat(): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "embedded",
    modelId: "extractive",
    supportedUrls: {},
    doGenerate: (options) => Promise.resolve(generate(options)),
    doStream: (options) => Promise.resolve({ stream: streamOf(streamPartsOf(generate(options))) }),
  };
}

type Result = Omit<LanguageModelV4GenerateResult, "content"> & {
  content: (LanguageModelV4Text | LanguageModelV4ToolCall)[];
};

function generate(options: LanguageModelV4CallOptions): Result {
  options.abortSignal?.throwIfAborted();
  const read = readPrompt(options.prompt);
  const calls = read.hasToolResults ? [] : toolCalls(options, read.request);
  const content = calls.length > 0 ? calls : [replyTo(options, read)];
  const finish = calls.length > 0 ? "tool-calls" : "stop";
  const input = tokensOf(JSON.stringify(options.prompt));
  // Not the citations, which quote the passages.
  const written = content.map((part) => (part.type === "text" ? part.text : JSON.stringify(part)));
  const output = tokensOf(written.join(""));
  return {
    content,
    finishReason: { unified: finish, raw: finish },
    usage: {
      inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: output, text: output, reasoning: undefined },
    },
    warnings: [],
  };
}

const tokensOf = (text: string) => Math.ceil(text.length / CHARACTERS_PER_TOKEN);

function streamPartsOf({ content, usage, finishReason }: Result): LanguageModelV4StreamPart[] {
  const parts = content.flatMap((part, at): LanguageModelV4StreamPart[] => {
    if (part.type === "tool-call") return [part];
    const id = String(at);
    const { text: delta, citations } = part;
    return [
      { type: "text-start", id },
      { type: "text-delta", id, delta },
      { type: "text-end", id, ...(citations && { citations }) },
    ];
  });
  return [
    { type: "stream-start", warnings: [] },
    ...parts,
    { type: "finish", usage, finishReason },
  ];
}

const streamOf = (parts: LanguageModelV4StreamPart[]): ReadableStream<LanguageModelV4StreamPart> =>
  new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });

type Read = ReturnType<typeof readPrompt>;

/** The last request, and every passage of the turn that it begins. */
function readPrompt(prompt: LanguageModelV4Prompt) {
  const last = prompt.findLastIndex(({ role }) => role === "user");
  const said = textOfMessage(prompt[last]);
  const found = prompt.slice(last + 1).filter(({ role }) => role === "tool");
  let left = PASSAGES_LIMIT_CHARACTERS;
  const passages = [said, ...found.map(textOfMessage)].flatMap(readPassages).flatMap((passage) => {
    if (left <= 0) return [];
    const text = firstCharacters(passage.text, left);
    left -= text.length;
    return [{ ...passage, text }];
  });
  return {
    request: firstCharacters(readRequest(said), REQUEST_LIMIT_CHARACTERS),
    passages,
    hasToolResults: found.length > 0,
    isSearched: found.length > 0 || passages.length > 0,
  };
}

/** Words are compared in a form in which one character can become 18 (U+FDFA): these count. */
function firstCharacters(text: string, limit: number): string {
  const kept = text.slice(0, limit);
  const unfolded = kept.normalize("NFKC");
  return unfolded.length <= limit ? kept : unfolded.slice(0, limit);
}

function textOfMessage(message: LanguageModelV4Prompt[number] | undefined): string {
  if (message === undefined || message.role === "system") return "";
  const texts = message.content.map((part) => {
    if (part.type === "text") return part.text;
    return part.type === "tool-result" && part.output.type === "text" ? part.output.value : "";
  });
  return texts.join("\n");
}

/** The quotation as it stands, or what of it a JSON Schema asks for. */
function replyTo({ responseFormat }: LanguageModelV4CallOptions, read: Read): LanguageModelV4Text {
  const { request, passages, isSearched } = read;
  const quotation = isSearched ? quotationOf(request, passages) : null;
  if (responseFormat?.type === "json") {
    const schema = responseFormat.schema ?? { type: "object" };
    return { type: "text", text: JSON.stringify(filled(schema, read, quotation)) };
  }
  if (!isSearched) return { type: "text", text: NOTHING_TO_QUOTE };
  const passage = passages[quotation?.unit.passage ?? -1];
  const citations = (quotation?.stretches ?? []).flatMap(({ start, end }) => {
    if (passage === undefined) return [];
    const source = passageSource(passage.number, passage.source);
    return [{ source, startIndex: start, endIndex: end }];
  });
  const text = answerOf(passages, quotation);
  return { type: "text", text, ...(citations.length > 0 && { citations }) };
}

/** Nothing but words is taken from a quotation that is only the closest. */
function filled(schema: unknown, { request, isSearched }: Read, quotation: Quotation | null) {
  const quoted = quotation?.isCertain === true ? quotation.text : "";
  const evidence = isSearched
    ? evidenceOf(quoted, quotation?.said ?? null, [...(quotation?.unit.above ?? [])].join(" "))
    : evidenceOf(request, request);
  try {
    return fillSchema(schema, evidence, new Budget(MAX_STEPS));
  } catch (thrown) {
    if (thrown instanceof Unfilled) throw new ModelFailure(thrown.message);
    if (!(thrown instanceof BudgetSpent)) throw thrown;
    throw new ModelFailure("filling the JSON Schema takes embedded/extractive too many steps");
  }
}

/** One call of each tool, with the request as its first text argument. */
function toolCalls(
  { tools, toolChoice }: LanguageModelV4CallOptions,
  request: string,
): LanguageModelV4ToolCall[] {
  if (toolChoice?.type === "none") return [];
  return (tools ?? []).flatMap((tool, at): LanguageModelV4ToolCall[] => {
    if (tool.type !== "function") return [];
    const properties = Object.entries(asNode(tool.inputSchema.properties));
    const [argument] = properties.find(([, one]) => asNode(one)["type"] === "string") ?? [];
    const input = JSON.stringify(argument === undefined ? {} : { [argument]: request });
    return [{ type: "tool-call", toolCallId: `call-${at + 1}`, toolName: tool.name, input }];
  });
}
