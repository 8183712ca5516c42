import { expect, test } from "vitest";

import { BoundedBindings } from "../../../src/adapters/cloudflare/bounded-bindings.ts";

const BUSY = "database is locked: SQLITE_BUSY";

test("a statement waits while another process has the local database locked", async () => {
  const bindings = new BoundedBindings({ isLocal: true, suspect: () => undefined });
  const failures = [BUSY, BUSY];
  let calls = 0;
  const statement = {
    async run(value: string) {
      calls++;
      const failure = failures.shift();
      if (failure !== undefined) throw new Error(failure);
      return await Promise.resolve(value);
    },
  };
  expect(await bindings.limitCalls(statement).run("written")).toBe("written");
  expect(calls).toBe(3);
  failures.push("no such table: x");
  await expect(bindings.limitCalls(statement).run("refused")).rejects.toThrow("no such table");
  expect(calls).toBe(4);
});
