import { assert, assertIs, ok, section, type Rule } from "../rule.ts";
import type { World } from "../world.ts";

type Entry = { filePath: string; status: string; indexedAt: string | null; errorMessage: unknown };

const entry = async (world: World, filePath: string) => {
  const answer = await world.get(`/api/rags/${world.rag}/files?page=1&limit=100`);
  const { data } = ok<{ data: Entry[] }>(answer);
  return data.find((file) => file.filePath === filePath);
};

const scopes = (world: World) => `/api/rags/${world.scopedRag}/scopes`;
const LIST = [{ type: "path", value: "guide/" }];

async function listOf(world: World) {
  const detail = ok<{ fileSourceScopes: unknown }>(await world.get(`/api/rags/${world.scopedRag}`));
  return detail.fileSourceScopes;
}

const files = section("States: file indexing status", {
  "indexed: errorMessage is null and indexedAt a time": async (world) => {
    const file = await entry(world, "guide/leave.md");
    assert.deepEqual([file?.status, file?.errorMessage], ["indexed", null]);
    assert.match(file?.indexedAt ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  },
  "error: errorMessage gives the reason; indexedAt is null until the first success": async (
    world,
  ) => {
    const file = await entry(world, "notes/empty.md");
    assert.deepEqual(
      [file?.status, file?.errorMessage, file?.indexedAt],
      ["error", "no text found", null],
    );
  },
});

const scopeMode = section("States: RAG scope mode", {
  "POST adds a scope that is not in the list": async (world) => {
    const scope = { type: "path", value: "notes/labelled.md" };
    assertIs(await world.post(scopes(world), scope), 200, { ok: true });
    assert.deepEqual(await listOf(world), [...LIST, scope]);
  },
  "POST of a scope in the list is 409 and changes nothing": async (world) => {
    const scope = { type: "path", value: "notes/labelled.md" };
    assertIs(await world.post(scopes(world), scope), 409, { error: "Scope already exists" });
    assert.deepEqual(await listOf(world), [...LIST, scope]);
  },
  "DELETE removes the scope": async (world) => {
    const scope = { type: "path", value: "notes/labelled.md" };
    assertIs(await world.del(scopes(world), scope), 200, { ok: true });
    assert.deepEqual(await listOf(world), LIST);
  },
  "DELETE of a scope that is not in the list succeeds: it is gone": async (world) => {
    const scope = { type: "path", value: "nowhere/" };
    assertIs(await world.del(scopes(world), scope), 200, { ok: true });
    assert.deepEqual(await listOf(world), LIST);
  },
  "POST and DELETE on a global RAG are 422 and change nothing": async (world) => {
    const scope = { type: "path", value: "guide/" };
    const path = `/api/rags/${world.rag}/scopes`;
    const refusal = { error: "RAG is in global scope mode" };
    assertIs(await world.post(path, scope), 422, refusal);
    assertIs(await world.del(path, scope), 422, refusal);
  },
  "a folder scope includes everything beneath it, and no file that begins alike": async (world) => {
    const answer = await world.get(`/api/rags/${world.scopedRag}/files?page=1`);
    const { data } = ok<{ data: Entry[] }>(answer);
    assert.deepEqual(
      data.map(({ filePath }) => filePath),
      ["guide/deep/receipts.md", "guide/leave.md", "guide/travel.md"],
    );
  },
  "a path with a leading slash, a dot or an empty segment is 400": async (world) => {
    const wrong: [string, string][] = [
      ["/guide/", "value must be relative, without a leading /"],
      ["guide/../notes/", "value must not have a . or .. segment"],
      ["guide//leave.md", "value must not have an empty segment"],
    ];
    for (const [value, problem] of wrong) {
      const answer = await world.post(scopes(world), { type: "path", value });
      assertIs(answer, 400, { error: `Invalid request: ${problem}` });
    }
  },
  "type is path or externalId; both fields are required": async (world) => {
    const typed = await world.post(scopes(world), { type: "folder", value: "a/" });
    assertIs(typed, 400, { error: "Invalid request: type must be one of path, externalId" });
    assertIs(await world.post(scopes(world), {}), 400, {
      error: "Invalid request: type is required; value is required",
    });
  },
});

export const states: Rule[] = [...files, ...scopeMode];
