import { expect, test } from "vitest";

import { reasonOf } from "../../../src/core/errors.ts";
import { findPrice } from "../../../src/db/catalog/model-store.ts";
import { openDatabase } from "../../../src/db/sql.ts";

const SECRET = "sk-of-nobody-s-business";

/** A D1 that fails every statement. */
function brokenDatabase(): ReturnType<typeof openDatabase> {
  const batch = () => Promise.reject(new Error("D1_ERROR: no such table: models\nat offset 12"));
  const prepare = () => ({ bind: (...parameters: unknown[]) => parameters });
  return openDatabase({ prepare, batch } as unknown as D1Database);
}

test("a failed query's reason is the database's, without what the query was given", async () => {
  const thrown = await findPrice(brokenDatabase(), SECRET).catch((error: unknown) => error);
  expect(String(thrown)).not.toContain(SECRET);
  expect(reasonOf(thrown)).toBe("D1_ERROR: no such table: models");
});

test("a reason is one line of bounded length, whatever was thrown", () => {
  expect(reasonOf(new Error("first\nsecond"))).toBe("first");
  expect(reasonOf("x".repeat(1_000))).toHaveLength(300);
  expect(reasonOf(undefined)).toBe("undefined");
});
