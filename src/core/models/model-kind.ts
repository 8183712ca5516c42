/** The conversion of Workers AI, which reads pictures where nothing else is chosen. */
export const DEFAULT_IMAGE_MODEL = "workers-ai/to-markdown";

export const MODEL_KINDS = ["chat", "embedding", "reranker"] as const;
export type ModelKind = (typeof MODEL_KINDS)[number];

const RERANKS = /rerank/i;
const EMBEDS =
  /embed|(?:^|[^a-z])(?:bge|e5|gte)(?:[^a-z]|$)|minilm|mpnet|paraphrase|sentence-|stella|labse/i;
const NEITHER = /whisper|\btts\b|speech|audio|dall-e|image|diffusion|moderation|guard|ocr/i;

/** The part that names the model: `my-embeddings/chat.gguf` is `chat.gguf`. */
export const lastPart = (model: string): string => model.split(/[/\\]/).at(-1) ?? model;

/** The kind of a model by the name of its family: servers list no purposes. Null: of no use here. */
export function modelKindOf(model: string): ModelKind | null {
  const name = lastPart(model);
  if (RERANKS.test(name)) return "reranker";
  if (NEITHER.test(name)) return null;
  return EMBEDS.test(name) ? "embedding" : "chat";
}
