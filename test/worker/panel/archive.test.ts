import { env } from "cloudflare:workers";
import { afterAll, beforeAll, expect, test } from "vitest";

import { PIECE_BYTES, pieceKey } from "../../../src/ingestion/archive/archive-file.ts";
import { storePlan } from "../../../src/panel/archive/plan-import.ts";
import { renameThings } from "../../../src/panel/archive/rename-things.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { outcomeOf } from "../../support/worker-client.ts";
import {
  admin,
  beginAsAdmin,
  exported,
  imported,
  readService,
  send,
  sendPiece,
} from "./archive-world.ts";

const BOILER = "## Boiler\n\nThe boiler gets its service in spring.\n\n## Leave\n\nThirty days.\n";
const FILES: Record<string, string> = {
  "handbook/leave.md": "# Leave\n\nEveryone has thirty days of leave a year, and five for moving.",
  "a/boiler.md": BOILER,
  "z copy of/Böiler #1 100%.md": BOILER,
  "empty.md": "",
  "lines.jsonl": '{"text":"One stone."}\n{"text":"Two stones."}\n',
  "table.csv": "name;days\nLeave;30\nMoving;5\n",
  "page.html": "<html><title>Spring</title><body><h1>Spring</h1><p>Service of the boiler.",
};
const QUESTIONS = ["When is the boiler's service?", "How many days of leave?"];

beforeAll(async () => {
  await beginAsAdmin();
  await admin.create("/file-sources", {
    name: "Docs",
    provider: "file_system",
    permissions: "on",
    defaultReaders: ["everyone"],
  });
  await admin.create("/rags", {
    name: "Whole",
    fileSource: "docs",
    chunkSize: 40,
    chunkOverlap: 5,
  });
  const scopes = [{ type: "path", value: "a/" }];
  await admin.create("/rags", { name: "Part", fileSource: "docs", scopes });
  for (const [path, text] of Object.entries(FILES)) {
    const more = {
      "X-File-Metadata": JSON.stringify({ tags: ["x", path.length], kind: "note" }),
      "X-File-Modified": "2026-03-04T05:06:07Z",
      ...(path.startsWith("a/") ? { "X-File-Readers": '["group:hr@example.com"]' } : {}),
    };
    await admin.put(
      `/file-sources/docs/files/${encodeURI(path).replaceAll("#", "%23")}`,
      text,
      "text/markdown",
      more,
    );
  }
  await queuesSettled();
  const exclusion = { path: "table.csv", excluded: true };
  expect(outcomeOf(await admin.send("PUT", "/file-sources/docs/exclusions", exclusion))).toBe(
    "204 ",
  );
});
afterAll(queuesSettled);

const without = (value: unknown, ...names: string[]): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, inner: unknown) => {
      if (names.includes(key)) return undefined;
      return typeof inner === "number" && !Number.isInteger(inner)
        ? Number(inner.toFixed(3))
        : inner;
    })
      // An import that renames adds a suffix to identifiers and names.
      .replaceAll(/(docs|whole|part)-2|(Docs|Whole|Part) \(2\)/g, "$1$2"),
  );

test("an archive makes an equal service beside the first, without the embedder", async () => {
  const before = await readService("docs", ["whole", "part"], QUESTIONS);
  await admin.folderWithRag("Removed");
  const subscription = { ragIdentifiers: ["part", "removed"], enabled: true };
  const endpoint = { url: "https://hooks.example.com/", ...subscription };
  const { id } = await admin.create<{ id: string }>("/event-endpoints", endpoint);
  await admin.send("DELETE", "/rags/removed");
  const change = { ...endpoint, events: ["scan.failed"] };
  expect((await admin.send("PATCH", `/event-endpoints/${id}`, change)).status).toBe(200);
  const bytes = await exported("all=true");
  await admin.send("DELETE", `/event-endpoints/${id}`);
  expect(outcomeOf(await send(bytes))).toMatch(
    /^409 These identifiers are taken: fileSources.docs, .*rags/,
  );
  const result = await imported(bytes, "onConflict=rename");
  expect(result).toMatchObject({ state: "done", embedderCalls: 0, files: 7 });
  const after = await readService("docs-2", ["whole-2", "part-2"], QUESTIONS);
  expect(JSON.stringify(before.answers)).toContain("five for moving");
  expect(without(after)).toEqual(without(before));
  // Nothing is sent to receivers of the first service, which have another secret.
  expect((await admin.send("GET", "/event-endpoints")).body).toMatchObject({
    data: [{ ...change, ragIdentifiers: ["part-2", "removed"], enabled: false }],
  });
});

test("an import that replaces an endpoint leaves it disabled or enabled", () => {
  const url = "https://hooks.example.com/";
  const wish = { onConflict: "replace", suffix: "2", tokenIds: new Set(), dryRun: false } as const;
  const settings = { eventEndpoints: { [url]: { events: ["*"], enabled: true } } };
  const renaming = renameThings(settings, new Map([[`eventEndpoints.${url}`, {}]]), wish);
  expect(renaming.settings).toEqual({ eventEndpoints: { [url]: { events: ["*"] } } });
});

test("what gets another identifier can be told apart by its name", () => {
  const wish = { onConflict: "rename", suffix: "b", tokenIds: new Set(), dryRun: false } as const;
  const settings = { rags: { one: { name: "One" }, two: { name: "Two" } } };
  const renaming = renameThings(settings, new Map([["rags.one", {}]]), wish);
  expect(renaming.settings).toEqual({
    rags: { "one-b": { name: "One (b)" }, two: { name: "Two" } },
  });
});

test("a replaced source keeps its ids, and files that the archive lacks go", async () => {
  const bytes = await exported("sources=docs");
  const before = await readService("docs", ["whole", "part"], QUESTIONS);
  const ids = async () =>
    await Promise.all(
      ["/file-sources/docs", "/rags/whole", "/rags/part"].map(
        async (path) => ((await admin.send("GET", path)).body as { id: string }).id,
      ),
    );
  const idsBefore = await ids();
  await admin.put("/file-sources/docs/files/a/boiler.md", "Another boiler.", "text/markdown");
  await admin.put("/file-sources/docs/files/later.md", "It came later.", "text/markdown");
  await admin.send("DELETE", "/file-sources/docs/files/handbook/leave.md");
  await queuesSettled();
  const result = await imported(bytes, "onConflict=replace");
  expect(result.things.map(({ outcome }) => outcome)).toEqual(["replaced", "replaced", "replaced"]);
  const names = ["readAt"];
  const after = await readService("docs", ["whole", "part"], QUESTIONS);
  expect(without(after, ...names)).toEqual(without(before, ...names));
  expect(await ids()).toEqual(idsBefore);
  // The source goes on as before.
  await admin.put("/file-sources/docs/files/later.md", "It came again.", "text/markdown");
  await queuesSettled();
  const { body } = await admin.send("POST", "/rags/whole/search", {
    semanticSearch: ["came again"],
  });
  expect(JSON.stringify(body)).toContain("It came again.");
  await admin.send("DELETE", "/file-sources/docs/files/later.md");
});

test("readers from before permissions were switched on are in no archive", async () => {
  const text = async () => new TextDecoder("latin1").decode(await exported("sources=docs"));
  const since = async (ms: number) =>
    await env.DB.prepare("update file_sources set permissions_since = ?").bind(ms).run();
  expect(await text()).toContain("group:hr@example.com");
  await since(Date.now() + 3_600_000);
  expect(await text()).not.toContain("group:hr@example.com");
  await since(0);
});

test("an archive without vectors replaces when its passages are embedded", async () => {
  const bytes = await exported("sources=docs&vectors=false");
  const before = await readService("docs", ["whole", "part"], QUESTIONS);
  const idOf = async () => ((await admin.send("GET", "/rags/whole")).body as { id: string }).id;
  const id = await idOf();
  await admin.put("/file-sources/docs/files/a/boiler.md", "Another boiler.", "text/markdown");
  await admin.put("/file-sources/docs/files/later.md", "It came later.", "text/markdown");
  await queuesSettled();
  const answer = async () => {
    const question = { semanticSearch: ["another boiler"], topK: 20 };
    return JSON.stringify((await admin.send("POST", "/rags/whole/search", question)).body);
  };
  expect(await answer()).toContain("Another boiler.");
  expect(outcomeOf(await send(bytes, "onConflict=replace"))).toMatch(/^409 .*Import with embed/);
  const result = await imported(bytes, "onConflict=replace&embed=true");
  expect(result.embedderCalls).toBeGreaterThan(0);
  await queuesSettled();
  await expect.poll(answer).not.toContain("Another boiler.");
  const names = ["readAt", "indexedAt"];
  const after = await readService("docs", ["whole", "part"], QUESTIONS);
  expect(without(after, ...names)).toEqual(without(before, ...names));
  expect(await idOf()).toBe(id);
});

test("an import without its plan is given up or over, and blocks none", async () => {
  const bytes = await exported("sources=docs");
  const idIn = async (state: string) => {
    const { id } = await admin.create<{ id: string }>("/archive/uploads", {});
    await env.FILES.put(pieceKey(id, 0), bytes);
    const update = env.DB.prepare("update archive_imports set state = ? where id = ?");
    await update.bind(state, id).run();
    return id;
  };
  const complete = async (id: string) =>
    outcomeOf(await admin.send("POST", `/archive/uploads/${id}/complete`));
  const [half, old, finishedId] = [
    await idIn("writing"),
    await idIn("writing"),
    await idIn("done"),
  ];
  expect(outcomeOf(await admin.send("DELETE", `/archive/imports/${half}`))).toBe("204 ");
  expect(await complete(old)).toMatch(/^409 .*import the archive again/);
  expect(await complete(finishedId)).toMatch(/^200 /);
  expect(outcomeOf(await admin.send("DELETE", `/archive/imports/${finishedId}`))).toBe("204 ");
  for (const id of [half, old, finishedId]) {
    expect(await complete(id)).toMatch(/^404 .*there is no such import/);
    expect((await env.FILES.list({ prefix: `archives/${id}` })).objects).toEqual([]);
  }
});

test("a piece is stored as it was sent, and only while its upload is open", async () => {
  const { id } = await admin.create<{ id: string }>("/archive/uploads", {});
  const bytes = Uint8Array.from({ length: 1_500_000 }, (_, at) => at % 251);
  const sendPart = async (part: string, body: Uint8Array<ArrayBuffer>) =>
    outcomeOf(await sendPiece(`${id}/${part}`, body));
  const storedBytes = async () => {
    const object = await env.FILES.get(pieceKey(id, 0));
    return object === null ? null : new Uint8Array(await object.arrayBuffer());
  };
  expect(await sendPart("0", bytes)).toBe("204 ");
  expect(await storedBytes()).toEqual(bytes);
  expect(await sendPart("0", bytes.subarray(1))).toBe("204 ");
  expect(await storedBytes()).toEqual(bytes.subarray(1));
  expect(await sendPart("0", new Uint8Array(PIECE_BYTES + 1))).toMatch(/^413 /);
  expect(await sendPart("x", bytes)).toMatch(/^404 /);
  await env.DB.prepare("update archive_imports set state = 'checked' where id = ?").bind(id).run();
  expect(await sendPart("0", bytes)).toMatch(/^404 /);
  expect(await storedBytes()).toEqual(bytes.subarray(1));
  expect(outcomeOf(await admin.send("DELETE", `/archive/imports/${id}`))).toBe("204 ");
});

test("an import that began with users does not go on without them", async () => {
  const bytes = await exported("sources=docs");
  const { id } = await admin.create<{ id: string }>("/archive/uploads", {});
  await env.FILES.put(pieceKey(id, 0), bytes);
  const users = [{ email: "ann@example.com", role: "admin", createdAt: 0 }];
  const access = { users, keys: [], tokens: [] };
  const counts = { files: 0, passages: 0, toEmbed: 0, embedderCalls: 0, now: 0 };
  const plan = { sources: {}, rags: {}, settings: {}, questions: {}, access, things: [] };
  await storePlan(env.FILES, id, { ...plan, ...counts });
  const update = env.DB.prepare("update archive_imports set state = 'writing' where id = ?");
  await update.bind(id).run();
  const address = `/archive/uploads/${id}/complete?withoutAccess=true`;
  expect(outcomeOf(await admin.send("POST", address))).toMatch(/^409 .*import the archive again/);
  expect(outcomeOf(await admin.send("POST", address))).toMatch(/^404 .*there is no such import/);
});
