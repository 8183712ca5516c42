import { assert, assertIs, keysOf, ok, section, type Rule } from "../rule.ts";
import type { World } from "../world.ts";

const UNAUTHORIZED = { error: "Unauthorized" };
const FORBIDDEN = { error: "Forbidden" };
const NOT_FOUND = { error: "Not found" };

/** Every operation on a resource, of which there is one that the limited token does not cover. */
const operations = (world: World, { rag, inference, agent }: Record<string, string>) =>
  [
    ["GET", `/api/rags/${rag}`],
    ["POST", `/api/rags/${rag}/retrieve`, { semanticSearch: ["leave"] }],
    ["GET", `/api/rags/${rag}/files`],
    ["POST", `/api/rags/${rag}/scopes`, { type: "path", value: "a/" }],
    ["DELETE", `/api/rags/${rag}/scopes`, { type: "path", value: "a/" }],
    ["POST", `/api/inferences/${inference}`, { prompt: "leave" }],
    ["POST", `/api/inferences/${inference}/retrieve`, {}],
    ["GET", `/api/inferences/${inference}/files?page=1`],
    ["GET", `/api/inferences/${inference}/file-sources/${world.source}?file=guide/leave.md`],
    ["GET", `/api/agents/${agent}`],
    ["POST", `/api/agents/${agent}/invoke`, { prompt: "leave" }],
  ] as [method: string, path: string, json?: object][];

const existing = (world: World) =>
  operations(world, { rag: world.rag, inference: world.inference, agent: world.agent });
const NOWHERE = { rag: "nowhere", inference: "nowhere", agent: "nowhere" };

const rules = section("Authentication", {
  "1. every operation asks for a token": async (world) => {
    for (const [method, path, json] of [
      ...existing(world),
      ["GET", "/api/rags"],
      ["GET", "/api/inferences"],
    ] as ReturnType<typeof existing>) {
      assertIs(await world.client.call({ method, path, json }), 401, UNAUTHORIZED);
    }
  },
  "1. missing, malformed, unknown and revoked tokens are the same 401": async (world) => {
    const typo = world.token.slice(0, -1) + (world.token.endsWith("a") ? "b" : "a");
    for (const Authorization of [
      `Bearer ${typo}`,
      `Bearer ${world.revoked}`,
      "Bearer",
      "Bearer ",
      `Basic ${world.token}`,
      world.token,
      "Bearer qry_0000000000000000000000000000000000000000",
    ]) {
      const answer = await world.client.call({
        method: "GET",
        path: "/api/rags",
        headers: { Authorization },
      });
      assertIs(answer, 401, UNAUTHORIZED);
    }
  },
  "2. the panel's session is accepted, and covers every resource": async (world) => {
    const rags = ok<{ identifier: string }[]>(await world.as(world.admin, "GET", "/api/rags"));
    assert.ok(rags.some(({ identifier }) => identifier === world.rag));
    ok(await world.as(world.member, "GET", `/api/rags/${world.rag}`));
    const body = { semanticSearch: ["leave"] };
    ok(await world.as(world.member, "POST", `/api/rags/${world.rag}/retrieve`, body));
  },
  "2. with a session, what is no GET must come from our own pages": async (world) => {
    const path = `/api/rags/${world.rag}/retrieve`;
    const json = { semanticSearch: ["leave"] };
    const from = async (headers: Record<string, string>) =>
      await world.client.call({ method: "POST", path, json, cookie: world.admin, headers });
    assertIs(await from({}), 403, FORBIDDEN);
    assertIs(await from({ Origin: "https://elsewhere.example" }), 403, FORBIDDEN);
    assertIs(await from({ "Sec-Fetch-Site": "same-site" }), 403, FORBIDDEN);
    ok(await from({ "Sec-Fetch-Site": "same-origin" }));
    const get = { method: "GET", path: "/api/rags", cookie: world.admin };
    ok(await world.client.call(get));
  },
  "2. a member gets 403 on changes of scopes": async (world) => {
    const path = `/api/rags/${world.scopedRag}/scopes`;
    for (const method of ["POST", "DELETE"]) {
      assertIs(await world.as(world.member, method, path, {}), 403, FORBIDDEN);
    }
  },
  "2. where there is an Authorization header the cookie is ignored": async (world) => {
    const answer = await world.client.call({
      method: "GET",
      path: "/api/rags",
      cookie: world.admin,
      headers: { Authorization: "Bearer wrong" },
    });
    assertIs(answer, 401, UNAUTHORIZED);
  },
  "3. each group names its own: a RAG behind an inference is not opened by it": async (world) => {
    ok(await world.get(`/api/rags/${world.otherRag}`, world.limited));
    ok(await world.post(`/api/inferences/${world.plain}`, { prompt: "hello" }, world.limited));
    assertIs(await world.get(`/api/rags/${world.rag}`, world.limited), 403, FORBIDDEN);
  },
  "4. and 5. what exists and is not permitted is 403, whatever is sent": async (world) => {
    for (const token of [world.limited, world.none]) {
      for (const [method, path] of existing(world)) {
        const json = method === "GET" ? undefined : { topK: "wrong" };
        const answer = await world.client.call({ method, path, token, json });
        assertIs(answer, 403, FORBIDDEN);
      }
    }
  },
  "what does not exist is 404, for every token": async (world) => {
    for (const token of [world.token, world.none]) {
      for (const [method, path, json] of operations(world, NOWHERE)) {
        assertIs(await world.client.call({ method, path, token, json }), 404, NOT_FOUND);
      }
    }
  },
  "7. the two documentation pages are public": async (world) => {
    for (const path of ["/api/docs", "/api/openapi.json"]) {
      assert.equal((await world.client.call({ method: "GET", path })).status, 200);
    }
  },
  "8. no answer has a CORS header, OPTIONS included": async (world) => {
    const headers = {
      Origin: "https://elsewhere.example",
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "authorization",
    };
    for (const method of ["OPTIONS", "GET", "POST"]) {
      for (const path of ["/api/rags", `/api/rags/${world.rag}/retrieve`, "/api/docs"]) {
        const answer = await world.client.call({ method, path, headers, token: world.token });
        const cors = [...answer.headers.keys()].filter((name) =>
          name.toLowerCase().startsWith("access-control-"),
        );
        assert.deepEqual(cors, [], `${method} ${path}`);
        if (method === "OPTIONS") assertIs(answer, 404, NOT_FOUND);
      }
    }
  },
});

const order = section("Order of checks", {
  "an unknown route or method is 404 without credentials": async (world) => {
    for (const [method, path] of [
      ["GET", "/api/nothing"],
      ["GET", `/api/rags/${world.rag}/nothing`],
      ["DELETE", "/api/rags"],
      ["PUT", `/api/rags/${world.rag}`],
      ["GET", `/api/inferences/${world.inference}`],
      ["PATCH", `/api/rags/${world.rag}/scopes`],
      ["GET", "/api/webhooks/drive"],
    ] as const) {
      assertIs(await world.client.call({ method, path }), 404, NOT_FOUND);
    }
  },
  "credentials, then existence, then permission, then the body": async (world) => {
    const send = async (rag: string, token?: string) =>
      await world.client.call({
        method: "POST",
        path: `/api/rags/${rag}/retrieve`,
        token,
        body: "{ not json",
      });
    assertIs(await send("nowhere"), 401, UNAUTHORIZED);
    assertIs(await send("nowhere", world.limited), 404, NOT_FOUND);
    assertIs(await send(world.rag, world.limited), 403, FORBIDDEN);
    const malformed = { error: "Invalid request: body is not valid JSON" };
    assertIs(await send(world.rag, world.token), 400, malformed);
  },
  "a body is JSON whatever its Content-Type says": async (world) => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", undefined]) {
      const answer = await world.client.call({
        method: "POST",
        path: `/api/rags/${world.rag}/retrieve`,
        token: world.token,
        body: new TextEncoder().encode('{"semanticSearch":["leave"]}'),
        ...(type === undefined ? {} : { headers: { "Content-Type": type } }),
      });
      assert.deepEqual(keysOf(ok(answer)), ["chunks"]);
    }
  },
});

export const authentication: Rule[] = [...rules, ...order];
