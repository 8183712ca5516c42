import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4Text,
} from "@ai-sdk/provider";

import { Budget, BudgetSpent } from "../../core/work/step-budget.ts";
import { ModelFailure, passageSource } from "../../ports/models.ts";
import { readPassages, readRequest } from "../../text/prompt-delimiters.ts";
import type { Passage } from "../../text/prompt-delimiters.ts";
import { answerOf, quotationOf } from "./extractive/answer.ts";
import type { Answer } from "./extractive/answer.ts";
import { evidenceOf, evidenceOfRequest } from "./extractive/evidence.ts";
import { fillSchema, Unfilled } from "./extractive/fill-schema.ts";
import { questionOf } from "./extractive/question.ts";
import { asNode } from "./extractive/schema.ts";

/** About four characters make a token; used only for the reported usage. */
const CHARACTERS_PER_TOKEN = 4;
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
    doStream: (options) => Promise.resolve({ stream: streamOf(generate(options)) }),
  };
}

function generate(options: LanguageModelV4CallOptions): LanguageModelV4GenerateResult {
  options.abortSignal?.throwIfAborted();
  const read = readPrompt(options.prompt);
  const calls = read.searched ? [] : toolCalls(options, read.request);
  const content: LanguageModelV4Content[] = calls.length > 0 ? calls : [replyTo(options, read)];
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

type Found = Passage & { number: number };
type Read = { request: string; passages: Found[]; searched: boolean };

/** The last request, and every passage of the turn that it begins. */
function readPrompt(prompt: LanguageModelV4Prompt): Read {
  const last = prompt.findLastIndex(({ role }) => role === "user");
  const said = textOfMessage(prompt[last]);
  const found = prompt.slice(last + 1).filter(({ role }) => role === "tool");
  const passages = [said, ...found.map(textOfMessage)].flatMap(readPassages);
  const request = firstCharacters(readRequest(said), REQUEST_LIMIT_CHARACTERS);
  return { request, passages: firstOf(passages), searched: found.length > 0 };
}

/** Words are compared in a form in which one character can become 18 (U+FDFA): these count. */
function firstCharacters(text: string, limit: number): string {
  const kept = text.slice(0, limit);
  const unfolded = kept.normalize("NFKC");
  return unfolded.length <= limit ? kept : unfolded.slice(0, limit);
}

/** Passages up to the character limit; the last one is cut. */
function firstOf(passages: Found[]): Found[] {
  let left = PASSAGES_LIMIT_CHARACTERS;
  return passages.flatMap(({ number, text, source }) => {
    if (left <= 0) return [];
    const kept = firstCharacters(text, left);
    left -= kept.length;
    return [{ number, source, text: kept }];
  });
}

function textOfMessage(message: LanguageModelV4Prompt[number] | undefined): string {
  if (message === undefined || message.role === "system") return "";
  const texts = message.content.map((part) => {
    if (part.type === "text") return part.text;
    if (part.type !== "tool-result") return "";
    const { output } = part;
    return output.type === "text" ? output.value : "";
  });
  return texts.join("\n");
}

function replyTo({ responseFormat }: LanguageModelV4CallOptions, read: Read): LanguageModelV4Text {
  const material = {
    request: read.request,
    passages: read.passages,
    searched: read.searched || read.passages.length > 0,
  };
  if (responseFormat?.type !== "json") return cited(answerOf(material), read.passages);
  const schema = responseFormat.schema ?? { type: "object" };
  try {
    const { counted } = questionOf(read.request);
    const quotation = quotationOf(material);
    const budget = new Budget(MAX_STEPS);
    const evidence = material.searched
      ? evidenceOf(quotation, counted)
      : evidenceOfRequest(material.request, quotation, counted);
    return { type: "text", text: JSON.stringify(fillSchema(schema, evidence, budget)) };
  } catch (thrown) {
    if (thrown instanceof BudgetSpent) {
      throw new ModelFailure("filling the JSON Schema takes embedded/extractive too many steps");
    }
    if (thrown instanceof Unfilled) throw new ModelFailure(unfilled(thrown.key));
    throw thrown;
  }
}

const SHOWN_CHARACTERS = 100;

/** What the caller can do about it is a part of the message. */
function unfilled(key: string): string {
  const what =
    key === "" ? "a value" : `a value for ${JSON.stringify(key.slice(0, SHOWN_CHARACTERS))}`;
  return `embedded/extractive is no language model and found no sentence that gives ${what}: allow null, or name a language model`;
}

/** The answer quotes a passage, so it cites it exactly; its source is no part of the quotation. */
function cited({ text, cited: stretches }: Answer, passages: Found[]): LanguageModelV4Text {
  const citations = stretches.flatMap(({ passage, start, end }) => {
    const found = passages[passage];
    if (found === undefined) return [];
    const source = passageSource(found.number, found.source);
    return [{ source, startIndex: start, endIndex: end }];
  });
  return { type: "text", text, ...(citations.length > 0 ? { citations } : {}) };
}

/** One call of each tool, with the request as its first text argument. */
function toolCalls(
  { tools, toolChoice }: LanguageModelV4CallOptions,
  request: string,
): LanguageModelV4Content[] {
  if (tools === undefined || toolChoice?.type === "none") return [];
  return tools.flatMap((tool, at): LanguageModelV4Content[] => {
    if (tool.type !== "function") return [];
    const properties = Object.entries(asNode(tool.inputSchema.properties));
    const [argument] = properties.find(([, one]) => asNode(one)["type"] === "string") ?? [];
    const input = JSON.stringify(argument === undefined ? {} : { [argument]: request });
    return [{ type: "tool-call", toolCallId: `call-${at + 1}`, toolName: tool.name, input }];
  });
}

function streamOf(
  result: LanguageModelV4GenerateResult,
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue({ type: "stream-start", warnings: [] });
      for (const [at, part] of result.content.entries()) {
        const id = String(at);
        if (part.type === "text") {
          controller.enqueue({ type: "text-start", id });
          controller.enqueue({ type: "text-delta", id, delta: part.text });
          const { citations } = part;
          controller.enqueue({ type: "text-end", id, ...(citations && { citations }) });
        } else if (part.type === "tool-call") controller.enqueue(part);
      }
      const { usage, finishReason } = result;
      controller.enqueue({ type: "finish", usage, finishReason });
      controller.close();
    },
  });
}
