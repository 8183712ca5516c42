/**
 * How well chunks serve: of questions whose answer lies at a known place in the sample documents,
 * how many find it whole in one of the first five chunks, ranked by BM25.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { stemmer } from "stemmer";

import type { ChunkSettings } from "../../src/documents/chunking/chunk-document.ts";
import { extractDocument } from "../../src/documents/extract-document.ts";
import type { ExtractedDocument } from "../../src/documents/extract-document.ts";
import { estimateTokens } from "../../src/text/tokens.ts";
import { wordsOf } from "../../src/text/words.ts";
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
type Splitting = "fixed" | "structure";

type Quality = { questions: number; answered: number };

/** Asks all questions of the sample's chunks of this size, tokens. */
export async function chunkQuality(size: number, splitting: Splitting): Promise<Quality> {
  const questions = JSON.parse(readFileSync(QUESTIONS, "utf8")) as Question[];
  const split = splitting === "fixed" ? fixedSize : byStructure;
  const passages = (await readSources()).flatMap((source) => split(source, size));
  return { questions: questions.length, answered: answered(questions, passages) };
}

async function readSources(): Promise<Source[]> {
  const paths = readdirSync(SAMPLE, { recursive: true, encoding: "utf8" }).sort();
  const files = paths.filter((path) => /\.\w+$/.test(path));
  return await Promise.all(
    files.map(async (path) => {
      const bytes = new Uint8Array(readFileSync(join(SAMPLE, path)));
      const name = basename(path);
      return { name, document: await extractDocument({ name, mimeType: null, bytes }) };
    }),
  );
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
        const documentCount = frequency.get(term) ?? 0;
        const rarity = Math.log(
          1 + (documents.length - documentCount + 0.5) / (documentCount + 0.5),
        );
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
