import { mapParallel } from "../../core/work/parallel.ts";
import { mayTakeFewer, ModelFailure, type Embedder } from "../../ports/models.ts";
import { estimateTokens } from "../../text/tokens.ts";
import { acceptedSize, sendAcceptedBatches } from "./accepted-batches.ts";
import { callAtOnce, paceOf, type EmbeddingPace } from "./embedding-pace.ts";
import type { CallOptions, PacedText, Send } from "./embedding-pace.ts";

/** Calls side by side, where a provider takes them: replies are many times as large as vectors. */
const CALLS_AT_ONCE = 4;
/** Shares of a refused text that are tried; of the length that a server names, a little less. */
const SHARES = [0.75, 0.5, 0.25];
const CAREFUL = 0.95;
/** A shorter text, in characters, is refused for something else than its length. */
const MIN_CUT_LENGTH = 200;
/** Where more single texts are refused, and none taken, the server takes nothing. */
const REFUSED_AT_MOST = 2;
/** The others are not tried once so many are refused, and none taken. */
const TRIED_AT_MOST = 20;

/** Texts being embedded, and what came of them so far, in their order. */
type Embedding = {
  embedder: Embedder;
  pace: EmbeddingPace | null;
  how: CallOptions;
  outcomes: (Float32Array | ModelFailure)[];
  tokens: number;
};

/** In as few calls as possible. @throws ModelFailure also for vectors that cannot be meant. */
export async function embedTexts(embedder: Embedder, texts: string[], how: CallOptions) {
  const { outcomes, tokens } = await embedEach(embedder, texts, how);
  const vectors = outcomes.map((outcome) => {
    if (outcome instanceof ModelFailure) throw outcome;
    return outcome;
  });
  return { vectors, tokens };
}

/**
 * L2-normalised vectors, and the provider's tokens, or an estimate. A text that the model refuses is
 * cut, and spoils no other: its failure takes the place of its vector.
 * @throws ModelFailure where the failure is of no text
 */
export async function embedEach(embedder: Embedder, texts: string[], how: CallOptions) {
  const { name, batchLimit, inputLimit, tokenizer } = embedder;
  const pace = paceOf(embedder);
  const embedding: Embedding = { embedder, pace, how, outcomes: [], tokens: 0 };
  const waiting = texts.map((whole, at): PacedText => {
    const text = whole.slice(0, inputLimit).toWellFormed();
    return { text, at, tokens: pace === null ? 0 : estimateTokens(text, tokenizer) };
  });
  const send = (batch: PacedText[]) => sendTexts(embedding, batch);
  const alone = {
    refused: 0,
    replace: (text: PacedText, refusal: unknown) =>
      sendBeginning(embedding, text, refusal, alone.refused),
  };
  const work = async () => {
    while (waiting.length > 0) {
      const size = acceptedSize(name, batchLimit);
      const batch = pace === null ? waiting.splice(0, size) : pace.take(waiting, size);
      await sendAcceptedBatches({ name, send, alone }, batch);
    }
  };
  const workers = pace === null ? CALLS_AT_ONCE : 1;
  try {
    await mapParallel(Array.from({ length: workers }), workers, work);
  } finally {
    // After a failure, no worker goes on.
    waiting.length = 0;
  }
  const [first] = embedding.outcomes;
  const isRefused = embedding.tokens === 0 && alone.refused > REFUSED_AT_MOST;
  if (isRefused && first instanceof ModelFailure) throw first;
  return embedding;
}

async function sendTexts(embedding: Embedding, batch: PacedText[]): Promise<void> {
  const { embedder, pace, how, outcomes } = embedding;
  const { model, dimensions, tokenizer } = embedder;
  const { isQuery = false, isAhead: rejectIfBusy = false } = how;
  const providerOptions = { quarry: { isQuery, rejectIfBusy } };
  const send: Send = async (abortSignal, isLate) => {
    const unanswered = batch.filter(({ text, at }) => {
      const vector = pace?.late.get(text);
      if (vector !== undefined) outcomes[at] = vector;
      return pace?.late.delete(text) !== true;
    });
    if (unanswered.length === 0) return false;
    const values = unanswered.map(({ text }) => text);
    const reply = await model.doEmbed({ values, dimensions, abortSignal, providerOptions });
    const { embeddings, usage } = reply;
    if (embeddings.length !== values.length) throw new ModelFailure("incomplete reply");
    // Some servers report 0.
    embedding.tokens += usage?.tokens || estimateTokens(values.join("\n"), tokenizer);
    for (const [place, { at, text }] of unanswered.entries()) {
      outcomes[at] = toUnitLength(embeddings[place] ?? [], dimensions);
      if (isLate()) pace?.late.set(text, outcomes[at]);
    }
    return true;
  };
  if (pace === null) return await callAtOnce(send, how);
  const tokens = batch.reduce((sum, text) => sum + text.tokens, 0);
  await pace.call(tokens, send, how);
  if (batch.length === 1 && pace.longestText < tokens) pace.longestText = tokens;
}

/** Tries a beginning of a text that was refused alone. @throws ModelFailure where nothing is taken */
async function sendBeginning(
  embedding: Embedding,
  { text, at, tokens: whole }: PacedText,
  refusal: unknown,
  refusals: number,
): Promise<void> {
  const { pace, outcomes } = embedding;
  let failure = refusal;
  for (const share of sharesToTry(refusal, text)) {
    const beginning = text.slice(0, Math.floor(text.length * share)).toWellFormed();
    const tokens = Math.floor(whole * share);
    try {
      await sendTexts(embedding, [{ text: beginning, at, tokens }]);
      if (pace !== null) pace.longestText = Math.min(pace.longestText, tokens);
      return;
    } catch (secondFailure) {
      failure = secondFailure;
      if (!mayTakeFewer(secondFailure)) break;
    }
  }
  const isOutage = refusals >= TRIED_AT_MOST && embedding.tokens === 0;
  if (isOutage || !(failure instanceof ModelFailure) || !mayTakeFewer(failure)) throw failure;
  outcomes[at] = failure;
}

function sharesToTry(refusal: unknown, text: string): number[] {
  if (text.length < MIN_CUT_LENGTH || !(refusal instanceof ModelFailure)) return [];
  const { sent: sentTokens, limit } = refusal.tooLong ?? {};
  if (!sentTokens || !limit) return SHARES;
  const share = (limit / sentTokens) * CAREFUL;
  return [share, share * CAREFUL, share / 2];
}

function toUnitLength(embedding: number[], dimensions: number): Float32Array {
  if (embedding.length !== dimensions) {
    const lengths = `${embedding.length} dimensions, but EMBEDDING_DIMENSIONS is ${dimensions}`;
    throw new ModelFailure(`a vector of ${lengths}`);
  }
  // A typed array in plain loops takes a third of the list's time.
  const exact = new Float64Array(embedding);
  let sum = 0;
  for (let at = 0; at < dimensions; at++) {
    const value = exact[at] ?? 0;
    sum += value * value;
  }
  if (!Number.isFinite(sum)) throw new ModelFailure("a vector with values that are not numbers");
  // A text without any feature has no direction: it is similar to nothing.
  const scale = sum === 0 ? 0 : 1 / Math.sqrt(sum);
  const unit = new Float32Array(dimensions);
  for (let at = 0; at < dimensions; at++) unit[at] = (exact[at] ?? 0) * scale;
  return unit;
}
