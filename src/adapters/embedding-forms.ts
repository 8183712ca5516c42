import type { Config } from "../config.ts";
import type { EmbeddingForm } from "../ports/models.ts";

type Form = { query?: string; passage?: string; tokens?: number };

const BGE = "Represent this sentence for searching relevant passages: ";
const TASK = "Given a web search query, retrieve relevant passages that answer the query";

/**
 * How models were trained, by what their names hold; the first match wins. `tokens`: the length of
 * the texts, where it is short. Each line is from the page above it. A change of a passage's prefix
 * or of `tokens` rebuilds the indexes of the model.
 */
const FORMS: [name: RegExp, form: Form][] = [
  // https://huggingface.co/BAAI/bge-small-en-v1.5
  [/bge-(small|base|large)-en/, { query: BGE, tokens: 512 }],
  // https://huggingface.co/BAAI/bge-large-zh-v1.5
  [/bge-(small|base|large)-zh/, { query: "为这个句子生成表示以用于检索相关文章：", tokens: 512 }],
  // https://huggingface.co/intfloat/multilingual-e5-large-instruct
  [/\be5-.*instruct/, { query: `Instruct: ${TASK}\nQuery: `, tokens: 512 }],
  // https://huggingface.co/intfloat/multilingual-e5-large and https://huggingface.co/intfloat/e5-base-v2
  [/\be5-(small|base|large)/, { query: "query: ", passage: "passage: ", tokens: 512 }],
  // https://huggingface.co/nomic-ai/nomic-embed-text-v1.5
  [/nomic-embed-text/, { query: "search_query: ", passage: "search_document: " }],
  // https://huggingface.co/google/embeddinggemma-300m
  [/embedding-?gemma/, { query: "task: search result | query: ", passage: "title: none | text: " }],
  // https://huggingface.co/Qwen/Qwen3-Embedding-0.6B
  [/qwen3-embedding/, { query: `Instruct: ${TASK}\nQuery:` }],
  // https://huggingface.co/mixedbread-ai/mxbai-embed-large-v1
  [/mxbai-embed-large/, { query: BGE, tokens: 512 }],
  // https://huggingface.co/Snowflake/snowflake-arctic-embed-l-v2.0
  [/arctic-embed(2|-.*v2)/, { query: "query: " }],
  // https://huggingface.co/Snowflake/snowflake-arctic-embed-m
  [/arctic-embed/, { query: BGE, tokens: 512 }],
  // https://huggingface.co/jinaai/jina-embeddings-v3: what its API's `task` puts before a text
  [
    /jina-embeddings-v3/,
    {
      query: "Represent the query for retrieving evidence documents: ",
      passage: "Represent the document for retrieval: ",
    },
  ],
  // https://huggingface.co/jinaai/jina-embeddings-v4
  [/jina-embeddings-v4/, { query: "Query: ", passage: "Passage: " }],
  // https://huggingface.co/jinaai/jina-embeddings-v5-text-small
  [/jina-embeddings-v5/, { query: "Query: ", passage: "Document: " }],
  // https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2
  [/minilm/, { tokens: 256 }],
];

/** A passage may fill so much of what the model reads: headings and the prefix take the rest. */
const PASSAGE_SHARE = 0.8;

/** In a variable: no prefix. An empty variable is not set. */
const NONE = "none";
const unescapePrefix = (prefix: string) => (prefix === NONE ? "" : prefix.replaceAll("\\n", "\n"));

/** For the deployment's own model, its two variables take precedence. */
export function embeddingForm(model: string, config: Config): EmbeddingForm {
  const name = model.toLowerCase();
  const [, form = {}] = FORMS.find(([pattern]) => pattern.test(name)) ?? [];
  const { query = "", passage = "", tokens = Infinity } = form;
  const set = model === config.EMBEDDING_MODEL ? config : null;
  return {
    queryPrefix: unescapePrefix(set?.EMBEDDING_QUERY_PREFIX ?? query),
    passagePrefix: unescapePrefix(set?.EMBEDDING_PASSAGE_PREFIX ?? passage),
    longestPassage: Math.min(Number.MAX_SAFE_INTEGER, Math.floor(PASSAGE_SHARE * tokens)),
  };
}
