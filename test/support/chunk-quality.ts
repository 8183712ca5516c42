/**
 * How well chunks serve: of questions whose answer lies at a known place in the sample documents,
 * how many find it whole in one of the first five chunks, ranked by BM25.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { stemmer } from "stemmer";
import { wordsOf } from "../../src/text/words.ts";
import { estimateTokens } from "../../src/text/tokens.ts";
import type { ChunkSettings } from "../../src/documents/chunking/chunk-document.ts";
import { extractDocument, UnreadableDocument } from "../../src/documents/extract-document.ts";
import type { ExtractedDocument } from "../../src/documents/extract-document.ts";
import { cutDocument } from "./cut-document.ts";

type Question = { question: string; answer: string[] };
type Passage = { text: string; searched: string };
type Source = { name: string; document: ExtractedDocument };

const SAMPLE = join(import.meta.dirname, "../../src/cli/sample");
const QUESTIONS = join(import.meta.dirname, "../fixtures/questions.json");
const TOP = 5;
const OVERLAP_SHARE = 0.15;
/** That of the embedded embedding. */
const TOKENIZER = "unknown";
const K1 = 1.2;
const B = 0.75;

/** By structure, and in plain stretches of the same size and overlap. */
export type Splitting = "fixed" | "structure";

type Quality = { questions: number; answered: number; chunks: number };

/** Asks all questions of the sample's chunks of this size, tokens. */
export async function chunkQuality(size: number, splitting: Splitting): Promise<Quality> {
  const questions = JSON.parse(readFileSync(QUESTIONS, "utf8")) as Question[];
  return ask(questions, await readSources(SAMPLE), size, splitting);
}

/**
 * As `chunkQuality`, of documents of any folder, with questions made from them: in each some blocks
 * between blank lines are picked by chance, whatever they are; a few of a block's rarer words ask
 * for it, and it is the answer.
 */
export async function passageQuality(
  folder: string,
  size: number,
  splitting: Splitting,
): Promise<Quality> {
  const sources = await readSources(folder);
  return ask(pickedQuestions(sources), sources, size, splitting);
}

function ask(
  questions: Question[],
  sources: Source[],
  size: number,
  splitting: Splitting,
): Quality {
  const split = splitting === "fixed" ? fixedSize : byStructure;
  const passages = sources.flatMap((source) => split(source, size));
  const found = answered(questions, passages);
  return { questions: questions.length, answered: found, chunks: passages.length };
}

const BLOCKS_A_DOCUMENT = 5;
const WORDS_A_QUESTION = 6;
const MIN_WORDS = 12;
const MAX_WORDS = 70;
const LONG_WORD = /^\p{L}{4,}$/u;

function pickedQuestions(sources: Source[]): Question[] {
  const random = lehmer(1);
  return sources.flatMap(({ document }) => {
    const blocks = document.markdown.split(/\n\s*\n/).filter((block) => {
      const words = wordsOf(block).length;
      return words >= MIN_WORDS && words <= MAX_WORDS;
    });
    return Array.from({ length: Math.min(BLOCKS_A_DOCUMENT, blocks.length) }, () => {
      const [block = ""] = blocks.splice(Math.floor(random() * blocks.length), 1);
      const words = [...new Set(wordsOf(block).filter((word) => LONG_WORD.test(word)))];
      const asked = Array.from(
        { length: Math.min(WORDS_A_QUESTION, words.length) },
        () => words.splice(Math.floor(random() * words.length), 1)[0] ?? "",
      );
      return { question: asked.join(" "), answer: [block.trim()] };
    });
  });
}

/** The same numbers from 0 to 1 each time (Park and Miller, 1988). */
function lehmer(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 0x7fffffff;
    return state / 0x7fffffff;
  };
}

async function readSources(folder: string): Promise<Source[]> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const files = paths.filter((path) => /\.\w+$/.test(path));
  const sources: Source[] = [];
  for (const path of files) {
    const bytes = new Uint8Array(readFileSync(join(folder, path)));
    const name = basename(path);
    try {
      sources.push({ name, document: await extractDocument({ name, mimeType: null, bytes }) });
    } catch (error) {
      // Folders of any origin may hold what is no document; the sample does not.
      if (!(error instanceof UnreadableDocument) || folder === SAMPLE) throw error;
    }
  }
  return sources;
}

function byStructure({ name, document }: Source, size: number): Passage[] {
  const settings: ChunkSettings = {
    chunkSize: size,
    chunkOverlap: Math.round(size * OVERLAP_SHARE),
    tokenizer: TOKENIZER,
    fileName: name,
  };
  return cutDocument(document, settings).map((chunk) => ({
    text: chunk.text,
    // The index searches headings beside the text.
    searched: `${chunk.headings.join(" ")} ${chunk.embeddedText}`,
  }));
}

/** Words until the size is reached, then back by the overlap. */
function fixedSize({ document }: Source, size: number): Passage[] {
  const words = document.markdown.match(/\S+\s*/g) ?? [];
  const weights = words.map((word) => estimateTokens(word, TOKENIZER));
  const overlap = Math.round(size * OVERLAP_SHARE);
  const passages: Passage[] = [];
  let start = 0;
  while (start < words.length) {
    let end = start;
    for (let sum = 0; end < words.length && sum + (weights[end] ?? 0) <= size; end++)
      sum += weights[end] ?? 0;
    const text = words.slice(start, Math.max(end, start + 1)).join("");
    passages.push({ text, searched: text });
    if (end >= words.length) break;
    let next = Math.max(end, start + 1);
    for (let sum = 0; next > start + 1 && sum + (weights[next - 1] ?? 0) <= overlap; next--)
      sum += weights[next - 1] ?? 0;
    start = next;
  }
  return passages;
}

const termsOf = (text: string) => wordsOf(text).map(stemmer);
const folded = (text: string) => text.replace(/\s+/g, " ");

function answered(questions: Question[], passages: Passage[]): number {
  const rank = ranker(passages.map(({ searched }) => termsOf(searched)));
  return questions.filter(({ question, answer }) =>
    rank(termsOf(question), TOP).some((at) => {
      const text = folded(passages[at]?.text ?? "");
      return answer.every((part) => text.includes(folded(part)));
    }),
  ).length;
}

/** BM25 over lists of terms; gives the best positions. */
function ranker(documents: string[][]) {
  const frequency = new Map<string, number>();
  const counts = documents.map((terms) => {
    const own = new Map<string, number>();
    for (const term of terms) own.set(term, (own.get(term) ?? 0) + 1);
    for (const term of own.keys()) frequency.set(term, (frequency.get(term) ?? 0) + 1);
    return own;
  });
  const averageLength = documents.reduce((sum, terms) => sum + terms.length, 0) / documents.length;
  return (query: string[], top: number): number[] => {
    const scores = counts.map((own, at) => {
      const length = 1 - B + (B * (documents[at]?.length ?? 0)) / averageLength;
      return query.reduce((score, term) => {
        const count = own.get(term) ?? 0;
        const known = frequency.get(term) ?? 0;
        const rarity = Math.log(1 + (documents.length - known + 0.5) / (known + 0.5));
        return score + (rarity * count * (K1 + 1)) / (count + K1 * length);
      }, 0);
    });
    return scores
      .map((score, at) => ({ score, at }))
      .sort((a, b) => b.score - a.score)
      .slice(0, top)
      .map(({ at }) => at);
  };
}
