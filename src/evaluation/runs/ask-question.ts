import { messageOf, QuarryError } from "../../core/errors.ts";
import { sendRetrievalUsage } from "../../catalog/usage/send-usage.ts";
import type { Outcome, WaitingQuestion } from "../../db/evaluation/result-store.ts";
import type { Setting } from "../../db/evaluation/stored-shapes.ts";
import type { InferenceRecord, RagRecord } from "../../db/records.ts";
import { findPrices, priceKey, PRICED_TOKENS } from "../../db/usage/price-store.ts";
import { runInference } from "../../inference/run-inference.ts";
import type { InferenceResult } from "../../inference/types.ts";
import type { ModelUse } from "../../ports/job-queue.ts";
import { restrictionTo } from "../../retrieval/retrieval-request.ts";
import { retrieve } from "../../retrieval/retrieve.ts";
import type { RetrievedChunk } from "../../retrieval/score-and-merge.ts";
import { searchedAs } from "../../retrieval/search-mode.ts";
import type { Services } from "../../services.ts";
import { isRightAnswer } from "../measures/check-answer.ts";
import { ranksOf } from "../measures/match-passages.ts";
import { judgeAnswer } from "./judge-answer.ts";
import type { Subject } from "./subject-of-run.ts";

/** As deep as the deepest measure. */
const RAG_TOP_K = 10;
/** The default of the public API: an answer is measured as programs get it. */
const INFERENCE_TOP_K = 5;
const DEFAULT_MULTIPLIER = 2;
const FOUND_KEPT = 10;
const RESPONSE_KEPT = 4_000;

export type Asking = { subject: Subject; setting: Setting; judgeModel: string | null };

/** Asks one question and measures what comes of it; what a model fails at is an outcome, too. */
export async function askQuestion(
  services: Services,
  { subject, setting, judgeModel }: Asking,
  waiting: WaitingQuestion,
): Promise<Outcome> {
  const startedAt = services.now();
  try {
    return subject.kind === "rag"
      ? await searched(services, subject.rag, setting, waiting)
      : await answered(services, { ...subject, setting, judgeModel }, waiting);
  } catch (thrown) {
    if (!(thrown instanceof QuarryError)) throw thrown;
    return {
      ...NOTHING,
      ranks: waiting.expected.map(() => null),
      isRight: waiting.answerCheck === null ? null : false,
      error: messageOf(thrown),
      latencyMs: services.now() - startedAt,
    };
  }
}

const NOTHING: Outcome = {
  ranks: [],
  found: [],
  response: null,
  isRight: null,
  why: null,
  error: null,
  isDegraded: false,
  latencyMs: 0,
  inputTokens: 0,
  outputTokens: 0,
  cost: null,
  currency: null,
};

const searchOf = (setting: Setting, topK: number) => ({
  topK: setting.topK ?? topK,
  useReranking: setting.useReranking ?? typeof setting.reranker === "string",
  candidateMultiplier: setting.candidateMultiplier ?? DEFAULT_MULTIPLIER,
  includeDuplicates: setting.includeDuplicates ?? false,
});

async function searched(
  services: Services,
  rag: RagRecord,
  setting: Setting,
  waiting: WaitingQuestion,
): Promise<Outcome> {
  const restriction = restrictionTo({ useAllFiles: true, files: [], folders: [] });
  const result = await retrieve(services, {
    targets: [{ rag: searchedAs(rag, setting.searchMode), restriction }],
    queries: [waiting.question],
    ...searchOf(setting, RAG_TOP_K),
    similarityThreshold: setting.similarityThreshold ?? null,
  });
  sendRetrievalUsage(services, { ragIds: [rag.id], tokenId: null }, result);
  return {
    ...NOTHING,
    ...foundIn(result.chunks, waiting),
    isDegraded: result.degradations.length > 0,
    latencyMs: result.timings.contextMs + result.timings.rerankingMs,
    inputTokens: result.uses.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    ...(await costOf(services, result.uses)),
  };
}

const foundIn = (chunks: readonly RetrievedChunk[], { expected }: WaitingQuestion) => ({
  ranks: ranksOf(expected, chunks),
  found: chunks.slice(0, FOUND_KEPT).map(({ score, source }) => {
    return { file: source.filePath, page: source.page, score };
  }),
});

/** Null where nothing has a price, or prices have two currencies. */
async function costOf({ db }: Pick<Services, "db">, uses: readonly ModelUse[]) {
  const used = uses.filter(({ inputTokens }) => inputTokens > 0);
  const prices = await findPrices(db, [...new Set(used.map(({ model }) => model))]);
  const priced = used.flatMap(({ kind, model, inputTokens }) => {
    const price = prices.get(priceKey(kind, model));
    return price === undefined ? [] : [{ price, inputTokens }];
  });
  const [first] = priced;
  const same = priced.every(({ price }) => price.currency === first?.price.currency);
  if (first === undefined || !same) return { cost: null, currency: null };
  const cost = priced.reduce(
    (sum, { price, inputTokens }) => sum + (inputTokens * price.inputPrice) / PRICED_TOKENS,
    0,
  );
  return { cost, currency: first.price.currency };
}

type Answering = Omit<Asking, "subject"> & { inference: InferenceRecord };

async function answered(
  services: Services,
  { inference, setting, judgeModel }: Answering,
  waiting: WaitingQuestion,
): Promise<Outcome> {
  const searches = inference.nativeRag && inference.rags.length > 0;
  const { similarityThreshold, searchMode } = setting;
  const result = await runInference(services, {
    inference,
    input: {
      prompt: waiting.question,
      ...searchOf(setting, INFERENCE_TOP_K),
      searchMode,
      useAllFiles: true,
      ...(searches ? { semanticSearch: [waiting.question] } : {}),
      ...(searches && similarityThreshold !== undefined ? { similarityThreshold } : {}),
      ...(waiting.jsonSchema === null ? {} : { jsonSchema: waiting.jsonSchema }),
    },
    caller: { tokenId: null },
  });
  const answer = answerText(result, waiting.jsonSchema !== null);
  const { usage, timings } = result;
  return {
    ...NOTHING,
    ...foundIn(result.items, waiting),
    response: answer.slice(0, RESPONSE_KEPT),
    ...(await verdictOn(services, { inference, judgeModel, answer }, waiting)),
    isDegraded: result.degradations.length > 0,
    latencyMs: timings.totalMs,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    cost: usage.cost?.amount ?? null,
    currency: usage.cost?.currency ?? null,
  };
}

function answerText({ response }: InferenceResult, isStructured: boolean): string {
  if (isStructured || !Array.isArray(response)) return JSON.stringify(response);
  return response.flatMap((block) => (isTextBlock(block) ? [block.text] : [])).join("");
}

const isTextBlock = (block: unknown): block is { text: string } =>
  typeof block === "object" && block !== null && typeof Reflect.get(block, "text") === "string";

type Said = { inference: InferenceRecord; judgeModel: string | null; answer: string };

/** A judge that fails says nothing of the answer: it is neither right nor wrong. */
async function verdictOn(
  services: Services,
  { inference, judgeModel, answer }: Said,
  { question, answerCheck, answer: expected }: WaitingQuestion,
): Promise<Pick<Outcome, "isRight"> & Partial<Pick<Outcome, "why" | "error">>> {
  if (answerCheck === null || expected === null) return { isRight: null };
  if (answerCheck !== "judged") return { isRight: isRightAnswer(answerCheck, expected, answer) };
  if (judgeModel === null) return { isRight: null, error: "The set has no judge" };
  try {
    const inferenceId = inference.id;
    const judging = { judgeModel, question, rubric: expected, answer, inferenceId };
    return await judgeAnswer(services, judging);
  } catch (thrown) {
    if (!(thrown instanceof QuarryError)) throw thrown;
    return { isRight: null, error: `Judge: ${messageOf(thrown)}` };
  }
}
