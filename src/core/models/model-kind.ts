/** The conversion of Workers AI, which reads pictures where nothing else is chosen. */
export const DEFAULT_IMAGE_MODEL = "workers-ai/to-markdown";

export const MODEL_KINDS = ["chat", "embedding", "reranker", "image"] as const;
export type ModelKind = (typeof MODEL_KINDS)[number];

const RERANKS = /rerank/i;
const EMBEDS =
  /embed|(?:^|[^a-z])(?:bge|e5|gte)(?:[^a-z]|$)|minilm|mpnet|paraphrase|sentence-|stella|labse/i;
const NEITHER = /whisper|\btts\b|speech|audio|dall-e|image|diffusion|moderation|guard/i;
const READS = /ocr/i;

/** Families of chat models that see pictures: servers do not list what theirs can do. */
const SEES =
  /llava|vision|(?:^|[^a-z])vl(?:[^a-z]|$)|[\d.]vl|minicpm-?[vo]|moondream|pixtral|internvl|smolvlm|multimodal|llama-?4|gemma-?(?:3(?!-?(?:n|270m|1b|:1b|:270m))|[4-9])|mistral-small-?3\.[12]|glm-?\d(?:\.\d)?v|gpt-(?:4o|[4-9]\.\d|[5-9])|claude|gemini|kimi-k2\.[5-9]/i;

/** Whether a model can be given pictures, as far as its name shows. */
export const seesPictures = (model: string) =>
  SEES.test(lastPart(model)) || modelKindOf(model) === "image";

/** The part that names the model: `my-embeddings/chat.gguf` is `chat.gguf`. */
export const lastPart = (model: string): string => model.split(/[/\\]/).at(-1) ?? model;

/** The kind of a model by the name of its family: servers list no purposes. Null: of no use here. */
export function modelKindOf(model: string): ModelKind | null {
  const name = lastPart(model);
  if (RERANKS.test(name)) return "reranker";
  if (NEITHER.test(name)) return null;
  if (READS.test(name)) return "image";
  return EMBEDS.test(name) ? "embedding" : "chat";
}
