/** The chat model and the embedding model of a server. */
export type ServedModels = { chat: string | null; embedding: string | null };

/**
 * Servers list names, not purposes: embedding models are recognised by the names of their
 * families.
 */
const EMBEDS =
  /embed|\bbge-(?!rerank)|\be5\b|\bgte\b|minilm|mpnet|paraphrase|sentence-|arctic-embed|stella|labse/i;
const NEITHER = /rerank|whisper|\btts\b|speech|audio|dall-e|image|diffusion|moderation|guard|ocr/i;
/** Ollama lists models that run on its own servers, too: no document goes there unasked. */
const RUNS_ELSEWHERE = /[:-]cloud$/i;
/** Answer questions about documents, but worse than a general model. */
const SPECIAL = /code|math|vision|vl\b|llava|moondream|[-_]base\b|draft/i;

/**
 * The first listed model that answers (general ones before those for code or pictures), and the
 * first that embeds; the one that made the existing index goes before it.
 */
export function chooseModels(listed: string[], madeWith: string | null): ServedModels {
  const names = listed.filter((name) => !NEITHER.test(name) && !RUNS_ELSEWHERE.test(name));
  const chats = names.filter((name) => !EMBEDS.test(name));
  const chat = chats.find((name) => !SPECIAL.test(name)) ?? chats[0] ?? null;
  const kept = madeWith === null ? null : listedAs(listed, madeWith);
  const embedding = kept ?? names.find((name) => EMBEDS.test(name)) ?? null;
  return { chat, embedding };
}

/** What the list calls a model: Ollama lists `llama3.2` as `llama3.2:latest`. */
export function listedAs(listed: string[], name: string): string | null {
  return listed.find((one) => one === name || one === `${name}:latest`) ?? null;
}
