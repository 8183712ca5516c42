import { expect, test } from "vitest";

import { rankCandidates, scaleOf } from "../../../src/rag-index/search/fuse.ts";
import { indexOf, put, requestFor, search } from "./support.ts";

test("an activated file is found by its words and by its vector", async () => {
  const index = indexOf("first");
  await put(index, "a.md", 1, ["Boilers are serviced every spring.", "Filters last two years."]);
  const found = await search(index, "servicing a boiler");
  expect(found.lexical).toEqual(["Boilers are serviced every spring."]);
  expect(found.vector[0]).toBe("Boilers are serviced every spring.");
  expect(await index.facts()).toEqual({ chunks: 2, files: 1, staged: 0, tombstones: 0 });
});

test("the best of both legs are read in the call that finds them", async () => {
  const index = indexOf("best");
  const texts = ["heather", "moss and heather", "heather on the moor", "moss", "a fern"];
  await put(index, "a.md", 1, [...texts, "heather, heather, heather"]);
  const request = requestFor("heather moss");
  const rule = { searchMode: "hybrid", weight: 0.5 } as const;
  const best = async (needed: number, threshold: number | null = null) => {
    const reply = await index.candidatesWithBest(request, { rule, needed, threshold });
    return reply.chunks.map(({ text }) => text);
  };
  const { queries } = await index.candidates(request);
  const ranked = rankCandidates(
    queries,
    rule,
    queries.map((legs) => scaleOf([legs])),
  );
  const ids = ranked.map(({ id }) => id);
  const { chunks } = await index.hydrate({ ...request, ids, queryVectors: [null] });
  const inOrder = chunks.map(({ text }) => text);
  expect(inOrder[0]).toBe("moss and heather");
  expect(await best(2)).toEqual(inOrder.slice(0, 2));
  // A similarity in memory is rounded: where it decides, others are read to replace what fails.
  expect(await best(2, 0.1)).toEqual(expect.arrayContaining(inOrder.slice(0, 3)));
});
