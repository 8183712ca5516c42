import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";

import { bm25Scorer, HEADING_WEIGHT } from "../../../src/text/bm25.ts";

const PASSAGES = [
  { headings: "water", text: "the lock keeper notes the height of the water" },
  { headings: "tides", text: "water" },
  { headings: "", text: `${"boats wait for the tide ".repeat(12)}and the water rises` },
  { headings: "staff", text: "the keeper sleeps" },
  { headings: "staff rooms", text: "rooms of the staff are above the lock" },
  { headings: "", text: "gates are painted in spring" },
  { headings: "", text: "the pump is oiled in spring" },
];
const TERMS = ["water", "lock"];
const wordsOf = (text: string) => text.split(" ").filter((word) => word !== "");

test("passages have the scores that FTS5 gives them, by length and headings", () => {
  const database = new DatabaseSync(":memory:");
  database.exec("create virtual table passages using fts5(headings, text, tokenize = 'porter')");
  const insertion = database.prepare("insert into passages values (?, ?)");
  for (const { headings, text } of PASSAGES) insertion.run(headings, text);
  const rows = database
    .prepare(
      `select rowid, -bm25(passages, ${HEADING_WEIGHT}, 1) as score from passages
         where passages match 'water OR lock'`,
    )
    .all();
  database.close();

  const indexed = PASSAGES.map(({ headings, text }) => {
    return { headings: wordsOf(headings), text: wordsOf(text) };
  });
  const holding = (term: string) =>
    indexed.filter(({ headings, text }) => [...headings, ...text].includes(term)).length;
  const terms = TERMS.map((word) => ({ word, chunks: holding(word), times: 1 }));
  const words = indexed.reduce((sum, { headings, text }) => sum + headings.length + text.length, 0);
  const score = bm25Scorer(terms, { chunks: indexed.length, words });

  expect(rows.map(({ rowid }) => rowid)).toEqual([1, 2, 3, 5]);
  for (const { rowid, score: witness } of rows) {
    const passage = indexed[Number(rowid) - 1];
    expect(passage && score(passage)).toBeCloseTo(Number(witness), 6);
  }
});
