import type { z } from "zod";

import type { TokenId } from "../core/ids.ts";
import type { ModelUse } from "../core/queue-messages.ts";
import type { RetrievedChunk } from "../retrieval/score-chunks.ts";
import type { Services } from "../services.ts";
import type { InferenceRetrieveRequest, InferenceRunRequest } from "./run-requests.ts";

export type InferenceServices = Pick<
  Services,
  | "config"
  | "now"
  | "log"
  | "trace"
  | "db"
  | "queue"
  | "ragIndexes"
  | "vectorIndex"
  | "models"
  | "spending"
  | "runInBackground"
  | "turns"
>;

type OfAnswers = "includeSources" | "includeSystemPrompt";

/** The part of a call that decides what is searched; validated, with defaults applied. */
export type ContextInput = Omit<z.output<typeof InferenceRetrieveRequest>, OfAnswers>;

export type InferenceInput = Omit<z.output<typeof InferenceRunRequest>, OfAnswers>;

/** The model's call of a function that the caller runs. `arguments`: JSON, as the model wrote it. */
export type FunctionCall = { id: string; name: string; arguments: string };

/** An earlier message of a conversation, as the caller sends it. */
export type EarlierMessage =
  | { role: "user" | "assistant"; content: string; calls?: FunctionCall[] }
  | { role: "tool"; call: FunctionCall; content: string };

/** Functions that the caller runs itself: a run ends with the model's calls of them. */
export type CallerFunctions = {
  functions: { name: string; description: string; parameters: Record<string, unknown> }[];
  /** Applies to these functions only; searches of the run itself are not affected. */
  choice: "auto" | "required" | "none";
  /** False: at most one call is handed back. */
  parallel: boolean;
};

/** `tokenId` null: a panel session called. */
export type Caller = { tokenId: TokenId | null };

/** One use of a tool; `debug` is for administrators. */
export type ToolCall = {
  id: string;
  tool: string;
  ok: boolean;
  debug: { input: unknown; output: string; durationMs: number };
};

export type Usage = {
  inputTokens: number;
  /** Those of the input that the provider read from a cache. */
  cachedTokens: number;
  outputTokens: number;
  totalTokens: number;
  /** Null when the model has no price. */
  cost: { amount: number; currency: string } | null;
};

export type Timings = { contextMs: number; rerankingMs: number; modelMs: number; totalMs: number };

/** Which item stands behind a stretch of a text: `text.slice(start, end)`. `item`: its index. */
export type Citation = { item: number; start: number; end: number };

/** `citations`: only where they were asked for. */
export type ContentBlock = { type: "text"; text: string; citations?: Citation[]; isCut?: true };

export type InferenceResult = {
  /** Content blocks; with a JSON Schema the object or array that follows it. */
  response: ContentBlock[] | Record<string, unknown> | unknown[];
  /** The passages that the model was given. */
  items: RetrievedChunk[];
  /** Questions that the model wrote from the conversation, for the search before its call. */
  questions: string[];
  toolCalls: ToolCall[];
  /** Calls that the caller is to run; not empty where the model waits for it. */
  functionCalls: FunctionCall[];
  /** Unless `stop`, the answer was cut off: at the limit of tokens, by the provider's filter. */
  finish: "stop" | "length" | "content_filter";
  systemPrompt: string;
  /** Plain sentences; empty when nothing was lost. */
  degradations: string[];
  timings: Timings;
  /** Usage of the chat model. */
  usage: Usage;
  /** Calls of embedding models and rerankers. */
  uses: ModelUse[];
};

/** A run that came to its end, before it is measured. */
export type FinishedRun = Omit<InferenceResult, "usage" | "uses" | "timings" | "systemPrompt"> &
  Pick<Timings, "contextMs" | "rerankingMs">;
