import { expect, test } from "vitest";

import { openReads, runBatch, sql, type Reads } from "../../../src/db/sql.ts";
import { ReplicatedDouble } from "../../doubles/d1/replicated-double.ts";

const revoked = async (db: Reads) => (await runBatch(db, [sql`select revoked`]))[0];

test("a revocation shows at once, however far a replica is behind", async () => {
  const database = new ReplicatedDouble();
  database.commit("revoked");
  const reads = openReads(database.binding());
  expect(await revoked(reads)).toEqual([{ value: "revoked", from: "primary" }]);
});

test("a change made before the request shows in all its reads, from a replica too", async () => {
  const database = new ReplicatedDouble();
  database.commit("old");
  database.catchUp();
  database.commit("new");
  const reads = openReads(database.binding());
  await revoked(reads);
  expect(await revoked(reads)).toEqual([{ value: "new", from: "replica" }]);
});

test("the double's replica is behind, so a missing constraint would be seen", async () => {
  const database = new ReplicatedDouble();
  database.commit("revoked");
  const stale = { $client: database.binding().withSession("first-unconstrained") };
  expect(await revoked(stale)).toEqual([{ value: "", from: "replica" }]);
});
