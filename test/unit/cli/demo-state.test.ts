import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { readDemoState, writeDemoState } from "../../../src/cli/demo/demo-state.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quarry-state-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("the token is kept, readable by its owner only", async () => {
  const state = {
    token: "qry_1",
    key: "qrya_1",
    password: "p",
    folders: { sample: "/s" },
    embeddingModel: "local/bge-m3",
  };
  await writeDemoState(folder, state);
  expect(statSync(join(folder, "demo.json")).mode & 0o777).toBe(0o600);
  expect(await readDemoState(folder)).toEqual(state);
});

test("a spoilt file counts as none", async () => {
  writeFileSync(join(folder, "demo.json"), "{ not json");
  const none = { token: null, key: null, password: null, folders: {}, embeddingModel: null };
  expect(await readDemoState(folder)).toEqual(none);
});
