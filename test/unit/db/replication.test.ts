import { expect, test } from "vitest";

import { openReads } from "../../../src/db/client.ts";
import { allRows, statement } from "../../../src/db/raw-sql.ts";
import { ReplicatedDouble } from "../../doubles/d1/replicated-double.ts";

const REVOKED = statement("select revoked");

test("a revocation shows at once, however far a replica is behind", async () => {
  const database = new ReplicatedDouble();
  database.commit("revoked");
  const reads = openReads(database.binding());
  expect(await allRows(reads, REVOKED)).toEqual([{ value: "revoked", from: "primary" }]);
});

test("a change made before the request shows in all its reads, from a replica too", async () => {
  const database = new ReplicatedDouble();
  database.commit("old");
  database.catchUp();
  database.commit("new");
  const reads = openReads(database.binding());
  await allRows(reads, REVOKED);
  expect(await allRows(reads, REVOKED)).toEqual([{ value: "new", from: "replica" }]);
});

test("the double's replica is behind, so a missing constraint would be seen", async () => {
  const database = new ReplicatedDouble();
  database.commit("revoked");
  const stale = { $client: database.binding().withSession("first-unconstrained") };
  expect(await allRows(stale, REVOKED)).toEqual([{ value: "", from: "replica" }]);
});
