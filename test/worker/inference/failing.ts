import { hashEmbedding } from "../../../src/adapters/embedded/hash-embedder.ts";
import type { RagRecord } from "../../../src/db/records.ts";
import { degradedAnswer } from "../../../src/http/answers.ts";
import { errorAnswerOf } from "../../../src/http/errors.ts";
import type { InferenceInput, InferenceServices } from "../../../src/inference/types.ts";
import type { Failure } from "../../doubles/openai-compatible/failures.ts";
import { OpenAiDouble, type Place } from "../../doubles/openai-compatible/openai-double.ts";
import { DIMENSIONS } from "../rag-index/support.ts";
import { answerOf, indexedRag, worldWith } from "./support.ts";

export const HOLIDAY = "Full-time employees get 26 days of holiday a year.";
export const PASSAGES = [HOLIDAY, "Sick leave is reported before 9:30."];

export const indexedHandbook = (): Promise<RagRecord> => {
  const models = { embeddingModel: "local/embed", reranker: "local/rerank" };
  return indexedRag("handbook", { "leave.md": PASSAGES }, models);
};

export const embeddingDouble = () =>
  new OpenAiDouble({ embed: (text) => hashEmbedding(text, DIMENSIONS) });

const SILENT = new Set<Failure["kind"] | undefined>(["hang", "drip"]);
/** Shorter than the 30 s that a failing model asks to be left alone. */
const PATIENT_MS = "20000";

/**
 * Budgets under which what is silent is given up soon, and what works has seconds, so that nothing
 * depends on the machine's speed.
 */
function budgetsFor(place: Place | "index" | null, failure: Failure | null) {
  const silent = SILENT.has(failure?.kind);
  return {
    RETRIEVAL_TIMEOUT_MS: silent && place !== "chat" ? "8000" : PATIENT_MS,
    MODEL_TIMEOUT_MS: silent && place === "chat" ? "250" : PATIENT_MS,
  };
}

/** A service whose models work, all but one; `index`: its own doubles fail elsewhere. */
export function failing(place: Place | "index" | null = null, failure: Failure | null = null) {
  const double = embeddingDouble();
  double.script = () => ({ text: '{"answer":"26"}' });
  if (place !== null && place !== "index" && failure !== null) double.fail(place, failure);
  return { double, world: worldWith({ double, variables: budgetsFor(place, failure) }) };
}

/** Returns the services with searches of every index that end so. */
export function searchedBy(
  services: InferenceServices,
  search: () => Promise<unknown>,
): InferenceServices {
  const { ragIndexes } = services;
  return {
    ...services,
    ragIndexes: (address) => Object.assign(Object.create(ragIndexes(address)), { search }),
  };
}

const viewer = (isAdmin: boolean) => ({ tokenId: null, isAdmin }) as never;

/** Returns a run's outcome for a caller, and `degraded` as a bearer and an administrator see it. */
export async function see(
  services: InferenceServices,
  rag: RagRecord,
  more: Partial<InferenceInput> = {},
) {
  const settings = { model: "local/chat", rags: [rag] };
  const input = { semanticSearch: ["days of holiday"], useReranking: true, ...more };
  try {
    const { degradations, items } = await answerOf(services, settings, input);
    const bearer = degradedAnswer(viewer(false), degradations);
    const administrator = degradedAnswer(viewer(true), degradations);
    const texts = items.map(({ text }) => text);
    return { status: 200, error: null, bearer, administrator, items: texts };
  } catch (thrown) {
    return { ...errorAnswerOf(thrown), bearer: {}, administrator: {}, items: [] };
  }
}
