import { acceptedSize, inAcceptedBatches } from "../../core/work/accepted-batches.ts";
import { inBatches } from "../../core/work/batches.ts";
import { mayTakeFewer, ModelFailure } from "../../ports/models.ts";
import type { Embedder, REJECT_IF_BUSY } from "../../ports/models.ts";
import { estimateTokens } from "../../text/tokens.ts";

/** In as few calls as possible. @throws ModelFailure also for vectors that cannot be meant. */
export async function embedTexts(
  embedder: Embedder,
  texts: string[],
  signal: AbortSignal,
  providerOptions?: typeof REJECT_IF_BUSY,
) {
  const { name, model, dimensions, tokenizer, batchLimit, inputLimit } = embedder;
  const send = async (batch: string[]) => {
    const values = batch.map((text) => text.slice(0, inputLimit).toWellFormed());
    const options = providerOptions === undefined ? {} : { providerOptions };
    const reply = await model.doEmbed({ values, dimensions, abortSignal: signal, ...options });
    const { embeddings, usage } = reply;
    if (embeddings.length !== values.length) throw new ModelFailure("incomplete reply");
    const vectors = embeddings.map((embedding) => toUnitLength(embedding, dimensions));
    const tokens = usage?.tokens ?? estimateTokens(values.join("\n"), tokenizer);
    return { vectors, tokens };
  };
  const batches = inBatches(texts, acceptedSize(name, batchLimit));
  const sent = batches.map((batch) => inAcceptedBatches({ name, send, mayTakeFewer }, batch));
  const replies = (await Promise.all(sent)).flat();
  return {
    /** L2-normalised, in the texts' order. */
    vectors: replies.flatMap(({ vectors }) => vectors),
    /** As the provider counts them; estimated where it does not report them. */
    tokens: replies.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

function toUnitLength(embedding: number[], dimensions: number): Float32Array {
  if (embedding.length !== dimensions) {
    const told = `${embedding.length} dimensions, but EMBEDDING_DIMENSIONS is ${dimensions}`;
    throw new ModelFailure(`a vector of ${told}`);
  }
  // Of numbers alone, and in plain loops: a third of the time that the list takes.
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
