import { expect, test } from "vitest";

import type { TokenId, UserId } from "../../../src/core/ids.ts";
import type { Lookup } from "../../../src/db/access/principal-lookup.ts";
import { RecentLookup } from "../../../src/db/access/recent-lookups.ts";
import { openReads } from "../../../src/db/sql.ts";
import { ReplicatedDouble } from "../../doubles/d1/replicated-double.ts";

const reads = openReads(new ReplicatedDouble().binding());
const token = { kind: "token" as const, hash: "hash" };
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- ids are branded text
const tokenId = "token" as TokenId;
const principal: Lookup<string>["principal"] = {
  kind: "token",
  tokenId,
  name: "Reader",
  manageScopes: true,
  expiresAt: null,
  lastUsedAt: null,
  reader: null,
  readerGroups: [],
};
const permitted: Lookup<string> = {
  principal,
  found: { resource: "notes", covered: true, changing: false },
};

/** A clock, what a look-up would find now, and how often one was made. */
function world(answer = permitted) {
  const state = { now: 1_000, answer, made: 0, meanwhile: () => {} };
  const recent = new RecentLookup<string>(async () => {
    state.made += 1;
    const current = state.answer;
    state.meanwhile();
    return current;
  });
  const find = async (identifier = "notes") =>
    await recent.find({ reads, now: () => state.now }, token, identifier);
  return { state, recent, find };
}

test("what permits a call is looked up once in three seconds", async () => {
  const { state, find } = world();
  await find();
  state.answer = { principal: null, found: null };
  state.now += 2_999;
  expect((await find()).found?.resource).toBe("notes");
  state.now += 1;
  expect(await find()).toEqual({ principal: null, found: null });
  expect(state.made).toBe(2);
});

test("after a write nothing is kept of what was read before it", async () => {
  const { state, recent, find } = world();
  await find();
  recent.forget();
  await find();
  expect(state.made).toBe(2);
  recent.forget();
  state.meanwhile = () => recent.forget();
  await find();
  await find();
  expect(state.made).toBe(4);
});

test("refusals, sessions, changing indexes and large resources are not kept", async () => {
  const target = { resource: "notes", covered: true, changing: false };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- ids are branded text
  const userId = "user" as UserId;
  const facts = { createdAt: 0, lastSeenAt: 0, hasTotp: false, groups: [], vouchedUntil: null };
  const user = { userId, email: "a@localhost", role: "admin" as const, hash: "hash", ...facts };
  const answers: Lookup<string>[] = [
    { principal: null, found: target },
    { principal, found: null },
    { principal, found: { ...target, covered: false } },
    { principal, found: { ...target, changing: true } },
    { principal, found: { ...target, resource: "long ".repeat(10_000) } },
    { principal: { kind: "session", ...user }, found: target },
  ];
  for (const answer of answers) {
    const { state, find } = world(answer);
    await find();
    await find();
    expect(state.made).toBe(2);
  }
});

test("the number of kept look-ups is bounded, and a clock that is set back ends them", async () => {
  const { state, find } = world();
  for (let at = 0; at < 257; at++) await find(`rag-${at}`);
  await find("rag-256");
  expect(state.made).toBe(257);
  await find("rag-0");
  expect(state.made).toBe(258);
  state.now -= 1;
  await find("rag-0");
  expect(state.made).toBe(259);
});
