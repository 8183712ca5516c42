import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { eventually } from "../../support/eventually.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { call, signedIn } from "../../support/worker-client.ts";
import { PROBES, rpc, semanticSearch, tool, type Probe } from "./reader-probes.ts";
import {
  ANN,
  as,
  askVault,
  costInVault,
  BOB,
  FILES,
  PASSWORD,
  filledVault,
  type Caller,
  type Vault,
} from "./reader-vault.ts";

let panel: Vault["panel"];
let callers: Vault["callers"];

beforeAll(async () => {
  ({ panel, callers } = await filledVault());
});

afterAll(queuesSettled);

const ask = (caller: Caller, probe: Probe, headers: Record<string, string> = {}) =>
  askVault(callers, { caller, probe, headers });

const TELLS = Object.values(PROBES)
  .flat()
  .flatMap(({ visible, ...probe }) => (visible === null ? [] : [{ ...probe, visible }]));
const NEEDS_NONE = Object.values(PROBES)
  .flat()
  .filter(({ visible }) => visible === null);

/** Sessions of the panel are for `/api` alone, programs that people connect for the protocols. */
function othersAt(path: string): [Caller, Record<string, string>, number | "seen" | "hidden"][] {
  const [isApi, isDify] = [path.startsWith("/api/"), path.startsWith("/dify")];
  const [session, program] = [!isApi, isApi || isDify];
  return [
    ["ann's program", {}, program ? 401 : "seen"],
    ["bob's program", {}, program ? 401 : "hidden"],
    ["bob's program", as(ANN), program ? 401 : 403],
    ["bob's session", {}, session ? 401 : "hidden"],
    ["bob's session", as(ANN), session ? 401 : 403],
    ["bob's session", as(BOB), session ? 401 : "hidden"],
    ["administrator", { "Quarry-Groups": "hr" }, session ? 401 : 400],
    ["administrator", {}, session ? 401 : "seen"],
    ["administrator", as(BOB), session ? 401 : "hidden"],
    ["key", {}, 401],
    ["member's key", as(ANN), 401],
  ];
}

test.for(TELLS)("$path tells a reader only what that reader may read", async (probe) => {
  const { visible } = probe;
  const cases: ReturnType<typeof othersAt> = [
    ["named", as(ANN), "seen"],
    ["named", as("Ann%40Example.com"), "seen"],
    ["ann", {}, "seen"],
    ["ann", as(ANN), "seen"],
    ["named", as(BOB), "hidden"],
    ["named", as("carl@example.com", "hr@example.com"), "hidden"],
    ["bob", {}, "hidden"],
    ["named", {}, 400],
    ["none", {}, 400],
    ["ann", as(BOB), 403],
    ["ann", { "Quarry-Groups": "" }, "seen"],
    ["ann", { "Quarry-Groups": "hr" }, 403],
    ["none", as(ANN), 403],
    ["named", as("%"), 400],
    ["named", as(`${ANN}@x`), 400],
    ["named", as(ANN, "x".repeat(17_000)), 400],
    ...othersAt(probe.path),
  ];
  for (const [caller, headers, expected] of cases) {
    const { status, text } = await ask(caller, probe, headers);
    const observation = { caller, headers, status, text };
    if (expected === "seen")
      expect(observation).toMatchObject({ text: expect.stringMatching(visible) });
    else expect(observation).not.toMatchObject({ text: expect.stringMatching(visible) });
    if (typeof expected !== "number") continue;
    const isInBody = probe.inBody === true && expected !== 401;
    expect(observation).toMatchObject(isInBody ? {} : { status: expected });
    const rules: Record<number, RegExp> = {
      400: /Quarry-/,
      401: /Unauthorized|[Uu]nauthorized|token/,
      403: /may not name a reader|Resource not found/,
    };
    expect(observation).toMatchObject({ text: expect.stringMatching(rules[expected] ?? /never/) });
    // JSON-RPC's code of an internal error.
    expect(text).not.toContain("-32603");
  }
});

test("lists of RAGs, inferences and tools need no reader", async () => {
  for (const probe of NEEDS_NONE)
    for (const token of ["named", "none", "ann"] as const)
      expect({ probe, ...(await ask(token, probe)) }).toMatchObject({ status: 200 });
});

type Chunk = { text: string; source: { filePath: string } };

test("where copies differ in their readers, each finds the copy that it may read", async () => {
  const probe = {
    path: "/api/rags/vault/retrieve",
    body: { semanticSearch, includeSources: true },
  };
  for (const [token, own, hiddenFile] of [
    ["ann", "ann.md", "bob.md"],
    ["bob", "bob.md", "ann.md"],
  ] as const) {
    const { text } = await ask(token, { ...probe, visible: null });
    const { chunks } = JSON.parse(text) as { chunks: Chunk[] };
    const paths = chunks.map(({ source }) => source.filePath);
    expect({ token, paths }).toMatchObject({ paths: expect.arrayContaining([own, "open.md"]) });
    expect(paths).not.toContain(hiddenFile);
  }
});

const HR = as("eve@elsewhere.org", "staff,hr%40example.com");

test("counts, statuses and explanations tell of readable files only", async () => {
  const countsFor = async (token: Caller, headers = {}) => {
    const rag = await ask(token, { path: "/api/rags/vault", visible: null }, headers);
    const list = await ask(token, { path: "/api/rags", visible: null }, headers);
    const page = { path: "/api/rags/vault/files?page=1&status=indexed", visible: null };
    const stores = await ask(token, { path: "/v1/vector_stores/vault", visible: null }, headers);
    const files = await ask(token, page, headers);
    const jsonOf = <Body>({ text }: { text: string }) => JSON.parse(text) as Body;
    type Counts = { totalFiles: number; processedFiles: number; numberVectors: number };
    return [
      jsonOf<Counts>(rag).totalFiles,
      jsonOf<Counts>(rag).numberVectors,
      jsonOf<Counts[]>(list)[0]?.processedFiles,
      jsonOf<{ total: number }>(files).total,
      jsonOf<{ file_counts: { total: number } }>(stores).file_counts.total,
    ];
  };
  expect(await countsFor("ann")).toEqual([2, 2, 2, 2, 2]);
  expect(await countsFor("named", HR)).toEqual([1, 1, 1, 1, 1]);
  expect(await countsFor("named", as("eve@elsewhere.org"))).toEqual([0, 0, 0, 0, 0]);
});

test("a file that is forbidden answers as one that is not there", async () => {
  const answers = async (file: string) => {
    const search = { semanticSearch, useAllFiles: false, selectedFiles: [file] };
    const status = `/api/inferences/ask/file-sources/vault?file=${file}`;
    const probes: Probe[] = [
      { path: "/api/rags/vault/retrieve", body: search, visible: null },
      { path: status, visible: null },
      tool("fetch", { id: `vault/${file}` }),
      rpc("resources/read", { uri: `quarry://vault/${file}` }, null),
    ];
    const all = await Promise.all(probes.map((probe) => ask("bob", probe)));
    return all.map(({ status: code, text }) => [code, text.replaceAll(file, "FILE")]);
  };
  expect(await answers("ann.md")).toEqual(await answers("missing.md"));
});

test("a forbidden file costs the calls and rows of one that is not there", async () => {
  // The first calls look their caller up, who is then known for seconds: here time stands still.
  vi.useFakeTimers({ toFake: ["Date"] });
  const probes = (file: string, words: string) => [
    {
      path: "/api/rags/vault/retrieve",
      body: { semanticSearch, useAllFiles: false, selectedFiles: [file] },
    },
    { path: "/api/rags/vault/retrieve", body: { semanticSearch: [words] } },
    { path: `/api/inferences/ask/file-sources/vault?file=${file}` },
    { path: "/api/rags/vault/files" },
    tool("fetch", { id: `vault/${file}` }),
    rpc("resources/read", { uri: `quarry://vault/${file}` }, null),
  ];
  const absent = probes("missing.md", "bonus 9999");
  for (const [at, forbidden] of probes("ann.md", "bonus k8822").entries()) {
    const costs = [absent[at], forbidden, absent[at], forbidden].map((probe) => probe ?? forbidden);
    const readings: object[] = [];
    for (const probe of costs) readings.push(await costInVault(callers, probe));
    expect({ at, cost: readings[3] }).toEqual({ at, cost: readings[2] });
  }
});

const FILE = "/file-sources/vault/files/moved/plan.md";
const PLAN = {
  path: "/api/rags/vault/retrieve",
  body: { semanticSearch: ["plan zebra"] },
  visible: null,
};

test("a change of readers counts for the next search, and nothing is embedded again", async () => {
  const headers = { "X-File-Readers": '["user:Carl@Example.com"]' };
  const text = "# Plan\n\nThe plan is called zebra.";
  await panel.put(FILE, text, "text/markdown", headers);
  const finds = async (reader: string) =>
    (await ask("named", PLAN, as(reader))).text.includes("zebra");
  await eventually(async () => expect(await finds("carl@example.com")).toBe(true));
  expect(await finds(ANN)).toBe(false);
  const before = await panel.send("GET", FILE);

  const shared = { readers: ["domain:example.com"] };
  expect((await panel.send("PATCH", `${FILE}/readers`, shared)).status).toBe(204);
  expect(await finds(ANN)).toBe(true);
  expect((await panel.send("GET", FILE)).body).toEqual(before.body);
  expect((await panel.send("GET", `${FILE}/readers`)).body).toEqual({
    permissions: "on",
    readers: [{ principal: "domain:example.com", from: "push" }],
    unreadable: null,
    readAt: expect.any(String),
  });
  const check = async (reader: string, groups: string[] = []) =>
    (await panel.send("POST", `${FILE}/readers/check`, { reader, groups })).body;
  const by = { by: "domain:example.com", from: "push" };
  expect(await check(ANN)).toEqual({ mayRead: true, ...by });
  expect(await check("ann@elsewhere.org")).toEqual({ mayRead: false, by: null, from: null });

  // Pushed again without the header, it keeps its readers; with an empty list nobody is left.
  await panel.put(FILE, text, "text/markdown");
  expect(await finds(ANN)).toBe(true);
  await panel.put(FILE, text, "text/markdown", { "X-File-Readers": "[]" });
  expect(await finds(ANN)).toBe(false);
  expect(await finds("carl@example.com")).toBe(false);
  const response = await panel.put(FILE, text, "text/markdown", { "X-File-Readers": "[carl]" });
  expect(response.status).toBe(400);

  const { body: preview } = await panel.send("GET", "/file-sources/vault/permissions");
  const nobody = ["nobody may read it at its source", "no readers are named for it"];
  const counts = { files: 6, nobody: 2, unreadable: 0, isComplete: true };
  expect(preview).toMatchObject({
    ...counts,
    problems: nobody.map((message) => expect.objectContaining({ message })),
  });
});

type Explained = { queries: { vector: { rank: number } | null }[] };

test("in the panel an administrator searches as somebody, a member as itself", async () => {
  const search = { semanticSearch, topK: 50, includeDuplicates: true };
  const pathsFor = async (send: typeof panel.send, more: object = {}) => {
    const { status, body } = await send("POST", "/rags/vault/search", { ...search, ...more });
    if (status !== 200) return status;
    const { chunks } = body as { chunks: Chunk[] };
    return chunks.map(({ source }) => source.filePath).sort();
  };
  expect(await pathsFor(panel.send)).toEqual(expect.arrayContaining(Object.keys(FILES)));
  expect(await pathsFor(panel.send, { reader: BOB })).toEqual(["bob.md", "open.md"]);
  expect(
    await pathsFor(panel.send, { reader: "eve@elsewhere.org", groups: ["HR@example.com"] }),
  ).toEqual(["hr/pay.md"]);
  const ranksFor = async (more: object) => {
    const { body } = await panel.send("POST", "/rags/vault/search", { ...search, ...more });
    const { chunks } = body as { chunks: { explanation: Explained }[] };
    return chunks
      .flatMap(({ explanation }) => explanation.queries.map(({ vector }) => vector?.rank ?? 0))
      .sort((a, b) => a - b);
  };
  expect(await ranksFor({ reader: BOB })).toEqual([1, 2]);
  expect((await ranksFor({})).at(-1)).toBeGreaterThan(2);
  const bob = await signedIn({ email: BOB, password: PASSWORD });
  expect(await pathsFor(bob.send)).toEqual(["bob.md", "open.md"]);
  expect(await pathsFor(bob.send, { reader: ANN })).toBe(403);
  for (const path of ["/file-sources/vault/files", "/rags/vault/index", "/question-sets"]) {
    expect({ path, ...(await bob.send("GET", path)) }).toMatchObject({ status: 403 });
    expect((await panel.send("GET", path)).status).toBe(200);
  }
  const reportsFor = async (send: typeof panel.send) =>
    ((await send("GET", "/usage?group=rag")).body as { data: { identifier: string }[] }).data;
  const ofVault = expect.objectContaining({ identifier: "vault" });
  await eventually(async () => expect(await reportsFor(panel.send)).toContainEqual(ofVault));
  expect(await reportsFor(bob.send)).not.toContainEqual(ofVault);
  await panel.put("/file-sources/vault/files/hr/merger.md", "");
  const failing = async (send: typeof panel.send) =>
    JSON.stringify((await send("GET", "/overview")).body).includes("merger.md");
  await eventually(async () => expect(await failing(panel.send)).toBe(true));
  expect(await failing(bob.send)).toBe(false);
  const overview = await call("GET", "/panel", { headers: { Cookie: bob.cookie } });
  expect(overview.body).not.toContain("merger.md");
  const page = await call("GET", "/panel/sources/vault", { headers: { Cookie: bob.cookie } });
  expect(page.status).toBe(403);
  await ask("bob", PLAN);
  const expected = { target: `vault for ${BOB}`, actor: expect.objectContaining({ name: "bob" }) };
  await eventually(async () => {
    const { body } = await panel.send("GET", "/audit?action=rags.read&limit=100");
    const { data } = body as { data: object[] };
    expect(data).toContainEqual(expect.objectContaining(expected));
    expect(JSON.stringify(data)).not.toContain("zebra");
  });
});
