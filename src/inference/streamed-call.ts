import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4Text,
} from "@ai-sdk/provider";

import { ModelFailure, type ChatModel } from "../ports/models.ts";
import { StreamedUsage } from "./model-usage.ts";
import type { Meter } from "./record-usage.ts";

type WholeAnswer = Pick<LanguageModelV4GenerateResult, "content" | "finishReason" | "usage">;

/** Receives the text of a call as it comes; the model's stream waits. `step`: counts the calls. */
export type TextReceiver = {
  receive: (text: string, step: number) => Promise<void>;
  end: (step: number) => Promise<void>;
};

type StreamedCall = {
  chat: ChatModel;
  meter: Meter;
  /** Absent: nobody listens. */
  hearing: TextReceiver | undefined;
  /** After so many ms, the text so far is the answer. */
  withinMs: number;
};

/** Streams a plain call. @throws ModelFailure (final once text was heard); the signal's reason */
export async function callStreaming(
  { chat, meter, hearing, withinMs }: StreamedCall,
  options: LanguageModelV4CallOptions,
): Promise<LanguageModelV4GenerateResult> {
  const step = meter.calls;
  const { stream } = await chat.model.doStream(options);
  const usage = new StreamedUsage(meter, chat.tokenizer);
  let wasHeard = false;
  const take = async (part: LanguageModelV4StreamPart) => {
    if (part.type !== "text-delta" && part.type !== "reasoning-delta") return;
    usage.addText(part.delta, options.prompt);
    if (part.type === "reasoning-delta" || part.delta === "") return;
    wasHeard = hearing !== undefined;
    await hearing?.receive(part.delta, step);
  };
  try {
    const collected = await collect(stream, { signal: options.abortSignal, withinMs }, take);
    usage.finish(collected.usage);
    await hearing?.end(step);
    return { ...collected, warnings: [] };
  } catch (thrown) {
    if (!wasHeard || !(thrown instanceof ModelFailure)) throw thrown;
    const { message, status } = thrown;
    throw new ModelFailure(message, { status, retryable: false }, { cause: thrown });
  }
}

type Parts = ReadableStream<LanguageModelV4StreamPart>;

async function collect(
  stream: Parts,
  { signal, withinMs }: { signal: AbortSignal | undefined; withinMs: number },
  take: (part: LanguageModelV4StreamPart) => Promise<void>,
): Promise<WholeAnswer> {
  const call: StreamState = { content: [], open: new Map(), end: null };
  const reader = stream.getReader();
  let isOver = false;
  const stop = () => void reader.cancel().catch(() => {});
  const timer = setTimeout(() => {
    isOver = hasText(call);
    if (isOver) stop();
  }, withinMs);
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done: isDone, value } = await reader.read();
      signal?.throwIfAborted();
      if (isDone) break;
      receive(value, call);
      await take(value);
    }
    if (isOver) call.end ??= CUT;
    if (call.end === null) throw new ModelFailure("the answer broke off", { retryable: true });
    return { content: call.content.map(contentOf), ...call.end };
  } catch (thrown) {
    stop();
    throw thrown;
  } finally {
    clearTimeout(timer);
  }
}

const UNKNOWN = { total: undefined, noCache: undefined, cacheRead: undefined };
/** The usage of a call whose provider did not say. */
export const NO_USAGE: WholeAnswer["usage"] = {
  inputTokens: { ...UNKNOWN, cacheWrite: undefined },
  outputTokens: { ...UNKNOWN, text: undefined, reasoning: undefined },
};
const CUT: NonNullable<StreamState["end"]> = {
  finishReason: { unified: "length", raw: "time" },
  usage: NO_USAGE,
};

/** Text without a call of a tool can be an answer. */
const hasText = ({ content }: StreamState) =>
  content.every((part) => !("type" in part)) &&
  content.some((part) => "kind" in part && part.kind === "text" && part.parts.length > 0);

type Block = {
  kind: "text" | "reasoning";
  parts: string[];
  citations: LanguageModelV4Text["citations"];
};

type StreamState = {
  content: (Block | LanguageModelV4Content)[];
  /** By id; a later block may have the id of one that has ended. */
  open: Map<string, Block>;
  end: Pick<WholeAnswer, "finishReason" | "usage"> | null;
};

function receive(part: LanguageModelV4StreamPart, call: StreamState): void {
  switch (part.type) {
    case "text-start":
    case "reasoning-start": {
      const kind = part.type === "text-start" ? "text" : "reasoning";
      const block: Block = { kind, parts: [], citations: undefined };
      call.open.set(part.id, block);
      call.content.push(block);
      return;
    }
    case "text-delta":
    case "reasoning-delta":
      call.open.get(part.id)?.parts.push(part.delta);
      return;
    case "text-end": {
      const block = call.open.get(part.id);
      if (block !== undefined) block.citations = part.citations;
      return;
    }
    case "tool-call":
      call.content.push(part);
      return;
    case "finish":
      call.end = { finishReason: part.finishReason, usage: part.usage };
      return;
    case "error":
      throw part.error;
    default:
  }
}

/** The text is joined once, at the end: joining with each delta would copy it each time. */
function contentOf(block: Block | LanguageModelV4Content): LanguageModelV4Content {
  if ("type" in block) return block;
  const text = block.parts.join("");
  if (block.kind === "reasoning" || block.citations === undefined)
    return { type: block.kind, text };
  return { type: block.kind, text, citations: block.citations };
}
