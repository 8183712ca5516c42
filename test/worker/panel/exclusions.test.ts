import { afterAll, beforeAll, expect, test } from "vitest";

import { eventually } from "../../support/eventually.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { signedIn } from "../../support/worker-client.ts";
import { addRag, ASKING, program } from "../protocols/world.ts";

const SOURCE = "/file-sources/notes";
const SECTION = (title: string, words: string) => `## ${title}\n\n${words.repeat(12)}\n\n`;
const BOILER = SECTION("Boiler", "The boiler gets its service in spring. ");
const LEAVE = SECTION("Leave", "Everyone has thirty days of leave. ");

const panel = await signedIn();
const exclude = async (body: object) => await panel.send("PUT", `${SOURCE}/exclusions`, body);
let doors: Record<string, (question: string) => Promise<string>>;

beforeAll(async () => {
  const files = { "all.md": BOILER + LEAVE, "copy/other.md": BOILER, "leave.md": LEAVE };
  await addRag(panel, "notes", files);
  await panel.send("PATCH", "/rags/notes", { chunkSize: 100, chunkOverlap: 0 });
  await panel.send("POST", "/inferences", { name: "Ask", ...ASKING, rags: ["notes"] });
  const covers = { rags: ["*"], inferences: ["*"], agents: ["*"] };
  const { token } = await panel.create("/tokens", { name: "P", ...covers });
  doors = doorsOf(program(token));
  await indexedAs(({ live }) => live?.chunkSize === 100);
});
afterAll(queuesSettled);

type Index = { live: { chunkSize: number; generation: number } | null; building: unknown };

const indexedAs = async (isDone: (index: Index) => boolean) =>
  await eventually(async () => {
    const { body } = await panel.send("GET", "/rags/notes/index");
    if ((body as Index).building !== null || !isDone(body as Index)) throw new Error("building");
    const rag = await panel.send("GET", "/rags/notes");
    const { processedFiles, totalFiles: all } = rag.body as Record<string, number>;
    if (processedFiles !== all) throw new Error("indexing");
  });

/** Everything that one question brings up, at each door. */
function doorsOf({ post }: ReturnType<typeof program>) {
  const mcp = { Accept: "application/json, text/event-stream" };
  const answerText = async (path: string, body: object, headers = {}) => {
    const answer = await post(path, body, headers);
    expect(answer).toMatchObject({ status: 200 });
    return JSON.stringify(answer.body);
  };
  return {
    api: (query: string) =>
      answerText("/api/rags/notes/retrieve", { semanticSearch: [query], includeSources: true }),
    inference: (prompt: string) =>
      answerText("/api/inferences/ask", { prompt, semanticSearch: [prompt], includeSources: true }),
    openai: (query: string) => answerText("/v1/vector_stores/notes/search", { query }),
    dify: (query: string) => {
      const retrieval_setting = { top_k: 10, score_threshold: 0 };
      return answerText("/dify/retrieval", { knowledge_id: "notes", query, retrieval_setting });
    },
    mcp: (query: string) =>
      answerText(
        "/mcp",
        {
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "search", arguments: { query } },
        },
        mcp,
      ),
    panel: async (query: string) => {
      const { body } = await panel.send("POST", "/rags/notes/search", { semanticSearch: [query] });
      return JSON.stringify(body);
    },
  };
}

/** At which doors a question brings up these words. */
async function finding(question: string, words: string): Promise<string[]> {
  const openDoors: string[] = [];
  for (const [name, ask] of Object.entries(doors)) {
    if ((await ask(question)).includes(words)) openDoors.push(name);
  }
  return openDoors;
}

const EVERY_DOOR = ["api", "inference", "openai", "dify", "mcp", "panel"];

type Passages = { data: { text: string; textHash: string; isExcluded: boolean }[] };
const passagesOf = async (path: string) =>
  ((await panel.send("GET", `/rags/notes/passages?path=${path}`)).body as Passages).data;

test("a passage that is left out is found at no door, whatever is indexed again", async () => {
  expect(await finding("boiler service", "in spring")).toEqual(EVERY_DOOR);
  const passages = await passagesOf("all.md");
  const { textHash } = passages.find(({ text }) => text.includes("boiler")) ?? {};
  const passage = { path: "all.md", textHash, excerpt: "The boiler" };
  expect(await exclude({ ...passage, excluded: true })).toMatchObject({ status: 204 });
  expect(await finding("boiler service", "in spring")).toEqual([]);
  expect(await finding("thirty days of leave", "thirty days")).toEqual(EVERY_DOOR);
  const marks = (await passagesOf("all.md")).map(({ text, isExcluded }) => [
    text.includes("boiler"),
    isExcluded,
  ]);
  expect(new Set(marks.map(String))).toEqual(new Set(["true,true", "false,false"]));

  await panel.put(`${SOURCE}/files/new.md`, BOILER);
  await panel.put(`${SOURCE}/files/all.md`, `Changed.\n\n${BOILER}`);
  await indexedAs(() => true);
  expect(await finding("boiler service", "in spring")).toEqual([]);
  await panel.send("PATCH", "/rags/notes", { searchMode: "semantic" });
  await panel.send("POST", "/rags/notes/reindex");
  await indexedAs(({ live }) => (live?.generation ?? 0) > 1);
  expect(await finding("boiler service", "in spring")).toEqual([]);

  await exclude({ ...passage, excluded: false });
  expect(await finding("boiler service", "in spring")).toEqual(EVERY_DOOR);
});

test("a file that is left out is found at no door until it is taken in again", async () => {
  const path = "copy/other.md";
  expect(await exclude({ path: "none.md", excluded: true })).toMatchObject({ status: 404 });
  await exclude({ path, excluded: true });
  expect(await finding("boiler service", path)).toEqual([]);
  const response = await panel.send("GET", `${SOURCE}/files?path=copy`);
  expect(response.body).toMatchObject({ data: [{ filePath: path, isExcluded: true }] });
  const exclusions = await panel.send("GET", `${SOURCE}/exclusions`);
  expect(exclusions.body).toMatchObject({ data: [{ kind: "file", path }], total: 1 });
  await panel.send("DELETE", `${SOURCE}/files/${path}`);
  await panel.put(`${SOURCE}/files/${path}`, `${BOILER}It is the Vulcan model.`);
  await indexedAs(() => true);
  expect(await finding("Vulcan model", "is the Vulcan")).toEqual([]);
  await exclude({ path, excluded: false });
  expect(await finding("Vulcan model", "is the Vulcan")).toEqual(EVERY_DOOR);
});

test("a file that is left out stays so where it moves", async () => {
  await panel.put(`${SOURCE}/files/crane.md`, "The crane lifts nine tonnes.");
  await indexedAs(() => true);
  await exclude({ path: "crane.md", excluded: true });
  for (const [from, to] of [
    ["crane.md", "old/crane.md"],
    ["old/crane.md", "attic.md"],
  ] as const) {
    const moves = [{ from, to }];
    expect(await panel.send("POST", `${SOURCE}/moves`, { moves })).toMatchObject({ status: 200 });
    await indexedAs(() => true);
    expect(await finding("crane lifts", "nine tonnes")).toEqual([]);
    const { body } = await panel.send("GET", `${SOURCE}/files/${to}`);
    expect(body).toMatchObject({ filePath: to, isExcluded: true });
  }
  await exclude({ path: "attic.md", excluded: false });
  expect(await finding("crane lifts", "nine tonnes")).toEqual(EVERY_DOOR);
  expect((await panel.send("GET", `${SOURCE}/exclusions`)).body).toMatchObject({ total: 0 });
  await panel.send("DELETE", `${SOURCE}/files/attic.md`);
});

test("metadata that is edited filters searches, and the file keeps its version", async () => {
  const { token } = await panel.create("/tokens", {
    name: "R",
    agents: [],
    inferences: [],
    rags: ["*"],
  });
  const labelled = async (value: string) => {
    const filters = { type: "eq", key: "label", value };
    const request = { query: "leave", filters };
    const { body } = await program(token).post("/v1/vector_stores/notes/search", request);
    return (body as { data: { filename: string }[] }).data.map(({ filename }) => filename);
  };
  const before = await panel.send("GET", `${SOURCE}/manifest`);
  const metadata = { label: "holiday" };
  const edited = await panel.send("PATCH", `${SOURCE}/files/leave.md`, { metadata });
  expect(edited.status).toBe(204);
  await eventually(async () => expect(await labelled("holiday")).toEqual(["leave.md"]));
  expect((await panel.send("GET", `${SOURCE}/manifest`)).body).toEqual(before.body);
  const unknown = await panel.send("PATCH", `${SOURCE}/files/none.md`, { metadata });
  expect(unknown.status).toBe(404);
});
