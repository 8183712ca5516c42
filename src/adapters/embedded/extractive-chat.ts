import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4Text,
  LanguageModelV4ToolCall,
} from "@ai-sdk/provider";

import { normalForm } from "../../core/normal-form.ts";
import { passageSource } from "../../ports/models.ts";
import { readPassages, readRequest } from "../../text/prompt-delimiters.ts";
import { evidenceOf } from "./extractive/evidence.ts";
import { asNode, fillSchema } from "./extractive/fill-schema.ts";
import { quotationOf } from "./extractive/quotation.ts";

/** About four characters make a token; used only for the reported usage. */
const CHARACTERS_PER_TOKEN = 4;
const NOTHING_FOUND = "The documents do not seem to say.";
const NOTHING_TO_QUOTE =
  "There are no passages to answer from, and the embedded model can only quote.";
/** Text beyond this is ignored: it would block the thread for seconds. */
const REQUEST_LIMIT_CHARACTERS = 100_000;
const PASSAGES_LIMIT_CHARACTERS = 200_000;

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

/** The answer in one piece. */
function streamOf({ content, finishReason, usage }: LanguageModelV4GenerateResult) {
  return new ReadableStream<LanguageModelV4StreamPart>({
    start(controller) {
      for (const part of content) {
        if (part.type === "tool-call") controller.enqueue(part);
        if (part.type !== "text") continue;
        const { text: delta, citations = [] } = part;
        controller.enqueue({ type: "text-start", id: "0" });
        controller.enqueue({ type: "text-delta", id: "0", delta });
        controller.enqueue({ type: "text-end", id: "0", citations });
      }
      controller.enqueue({ type: "finish", finishReason, usage });
      controller.close();
    },
  });
}

function generate(options: LanguageModelV4CallOptions): LanguageModelV4GenerateResult {
  options.abortSignal?.throwIfAborted();
  const parts = readPrompt(options.prompt);
  const calls = parts.hasToolResults ? [] : toolCalls(options, parts.request);
  const content = calls.length > 0 ? calls : [replyTo(options, parts)];
  const finish = calls.length > 0 ? "tool-calls" : "stop";
  const input = tokensOf(JSON.stringify(options.prompt));
  // Not the citations, which quote the passages.
  const output = tokensOf(content.map((part) => ("text" in part ? part.text : part.input)).join());
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

/** The last request, and every passage of the turn that it begins. */
function readPrompt(prompt: LanguageModelV4Prompt) {
  const last = prompt.findLastIndex(({ role }) => role === "user");
  const question = textOf(prompt.slice(last, last + 1));
  const toolResults = prompt.slice(last + 1).filter(({ role }) => role === "tool");
  const evidenceText = firstCharacters(
    `${question}\n${textOf(toolResults)}`,
    PASSAGES_LIMIT_CHARACTERS,
  );
  const passages = readPassages(evidenceText);
  return {
    request: firstCharacters(readRequest(question), REQUEST_LIMIT_CHARACTERS),
    passages,
    hasToolResults: toolResults.length > 0,
    isSearched: toolResults.length > 0 || passages.length > 0,
  };
}

/** Words are compared in a form in which one character can become 18 (U+FDFA): these count. */
function firstCharacters(text: string, limit: number): string {
  const beginning = text.slice(0, limit);
  const unfolded = normalForm(beginning, "NFKC");
  return unfolded.length <= limit ? beginning : unfolded.slice(0, limit);
}

function textOf(messages: LanguageModelV4Prompt): string {
  const texts = messages.flatMap(({ content }) =>
    [content].flat().map((part) => {
      if (typeof part === "string") return part;
      if (part.type === "text") return part.text;
      return part.type === "tool-result" && part.output.type === "text" ? part.output.value : "";
    }),
  );
  return texts.join("\n");
}

/** The quotation as it stands, or what of it a JSON Schema asks for. */
function replyTo(
  { responseFormat }: LanguageModelV4CallOptions,
  { request, passages, isSearched }: ReturnType<typeof readPrompt>,
): LanguageModelV4Text {
  const quotation = isSearched ? quotationOf(request, passages) : null;
  if (responseFormat?.type === "json") {
    const { certain = "", said: statement = null, above = "" } = quotation ?? {};
    const evidence = isSearched
      ? evidenceOf(certain, statement, above)
      : evidenceOf(request, request);
    const value = fillSchema(responseFormat.schema ?? { type: "object" }, evidence);
    return { type: "text", text: JSON.stringify(value) };
  }
  if (quotation === null) {
    return { type: "text", text: isSearched ? NOTHING_FOUND : NOTHING_TO_QUOTE };
  }
  const { said: statement, place, quoted, passage } = quotation;
  const source = passageSource(passage.number, passage.source);
  return {
    type: "text",
    text: `${statement}\n\nSource: ${place}`,
    citations: [{ source, ...quoted }],
  };
}

/** One call of each tool, with the request as its first text argument. */
function toolCalls({ tools, toolChoice }: LanguageModelV4CallOptions, request: string) {
  if (toolChoice?.type === "none") return [];
  return (tools ?? []).flatMap((tool, at): LanguageModelV4ToolCall[] => {
    if (tool.type !== "function") return [];
    const properties = Object.entries(asNode(tool.inputSchema.properties));
    const [argument] =
      properties.find(([, property]) => asNode(property)["type"] === "string") ?? [];
    const input = JSON.stringify(argument === undefined ? {} : { [argument]: request });
    return [{ type: "tool-call", toolCallId: `call-${at + 1}`, toolName: tool.name, input }];
  });
}
