import { readFileSync } from "node:fs";
import { join } from "node:path";

export type Document = { id: string; title: string; text: string };
type Query = { id: string; text: string };

export type Collection = {
  documents: Document[];
  queries: Query[];
  /** Grades of relevant documents by query id. */
  grades: Map<string, Map<string, number>>;
};

/** Reads a BEIR-like folder: docs.jsonl, queries.jsonl, qrels.tsv. */
export function readCollection(folder: string): Collection {
  const lines = (name: string) => readFileSync(join(folder, name), "utf8").trim().split("\n");
  const grades = new Map<string, Map<string, number>>();
  for (const line of lines("qrels.tsv")) {
    const [query = "", document = "", grade = ""] = line.split("\t");
    if (Number.isNaN(Number(grade))) continue;
    const ratings = grades.get(query) ?? new Map<string, number>();
    grades.set(query, ratings.set(document, Number(grade)));
  }
  return {
    documents: lines("docs.jsonl").map((line) => JSON.parse(line) as Document),
    queries: lines("queries.jsonl").map((line) => JSON.parse(line) as Query),
    grades,
  };
}

/** The documents as files that are pushed. */
export const filesOf = (documents: Document[]) =>
  documents.map(({ id, title, text }) => {
    return { path: `${id}.md`, text: title === "" ? `${text}\n` : `# ${title}\n\n${text}\n` };
  });
