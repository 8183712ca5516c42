import { expect, test } from "vitest";

import { indexOf, put, search } from "./support.ts";

test("an activated file is found by its words and by its vector", async () => {
  const index = indexOf("first");
  await put(index, "a.md", 1, ["Boilers are serviced every spring.", "Filters last two years."]);
  const found = await search(index, "servicing a boiler");
  expect(found.lexical).toEqual(["Boilers are serviced every spring."]);
  expect(found.vector[0]).toBe("Boilers are serviced every spring.");
  expect(await index.facts()).toEqual({ chunks: 2, files: 1, staged: 0, tombstones: 0 });
});
