import { assert, assertIs, isInvalid, ok, section, type Rule } from "../rule.ts";
import type { World } from "../world.ts";

const retrieveIn = (world: World) => `/api/rags/${world.rag}/retrieve`;
const search = { semanticSearch: ["leave"] };

const limits = section("Limits: request rate", {
  "the unpaged list of files carries RateLimit-Policy and RateLimit too": async (world) => {
    for (const query of ["", "?page=1"]) {
      const { headers, status } = await world.get(`/api/rags/${world.rag}/files${query}`);
      assert.equal(status, 200);
      assert.match(headers.get("RateLimit-Policy") ?? "", /^"api";q=\d+;w=60$/);
      assert.match(headers.get("RateLimit") ?? "", /^"api";r=\d+;t=\d+$/);
    }
  },
});

const files = section("GET /api/rags/{identifier}/files", {
  "without page limit is ignored, even when it is sent twice": async (world) => {
    const path = `/api/rags/${world.rag}/files`;
    assert.equal(ok<unknown[]>(await world.get(`${path}?limit=1&limit=2`)).length, 7);
    const paged = await world.get(`${path}?page=1&limit=1&limit=2`);
    isInvalid(paged, "limit must be an integer from 1 to 100");
  },
});

const errors = section("Errors", {
  "401 says how to sign in, and no other answer does": async (world) => {
    const challenge = async (token?: string) => {
      const path = `/api/rags/${world.rag}`;
      const { headers } = await world.client.call({ method: "GET", path, token });
      return headers.get("WWW-Authenticate");
    };
    for (const token of [undefined, "qry_wrong", world.revoked]) {
      assert.match((await challenge(token)) ?? "", /^Bearer\b/);
    }
    assert.equal(await challenge(world.token), null);
    assert.equal(await challenge(world.limited), null);
  },
  "a body with a Content-Encoding is 415, and one without is read": async (world) => {
    const send = async (encoding: string, token = world.token) =>
      await world.client.call({
        method: "POST",
        path: retrieveIn(world),
        token,
        body: JSON.stringify(search),
        headers: { "Content-Encoding": encoding },
      });
    for (const encoding of ["gzip", "br", "zstd", "gzip, identity", "made-up"]) {
      const answer = await send(encoding);
      assertIs(answer, 415, { error: "Unsupported content encoding: send the body as it is" });
      assert.equal(answer.headers.get("Accept-Encoding"), "identity");
    }
    ok(await send("identity"));
    assertIs(await send("gzip", world.limited), 403, { error: "Forbidden" });
  },
  "a field is told once, whatever is wrong with it": async (world) => {
    const path = `/api/inferences/${world.inference}/files?page=-0.5&page=x&limit=many`;
    const { error } = (await world.get(path)).body as { error: string };
    const fields = error.replace("Invalid request: ", "").split("; ");
    assert.deepEqual(
      fields.map((field) => field.split(" ")[0]),
      ["page", "limit"],
    );
  },
});

const ignored = section("Unknown body fields", {
  "are ignored, and X-Ignored-Fields names them": async (world) => {
    const body = { ...search, topk: 3, similarity_threshold: 0.2 };
    const answer = await world.post(retrieveIn(world), body);
    ok(answer);
    assert.equal(answer.headers.get("X-Ignored-Fields"), "topk, similarity_threshold");
    const validAnswer = await world.post(retrieveIn(world), { ...search, topK: 3 });
    assert.equal(validAnswer.headers.get("X-Ignored-Fields"), null);
  },
  "are named at any depth, and beside a 400": async (world) => {
    const answer = await world.post(`/api/inferences/${world.inference}`, {
      prompt: "leave",
      semanticsearch: ["leave"],
      selectedFiles: [{ ragIdentifier: world.rag, files: [], folders: [] }],
    });
    isInvalid(answer, "semanticSearch is required");
    const fieldNames = "semanticsearch, selectedFiles[0].folders";
    assert.equal(answer.headers.get("X-Ignored-Fields"), fieldNames);
  },
  "of any name break no header": async (world) => {
    const odd = { "é, \r\nX-Evil: 1": 1, "\ud800": 1, __proto__x: 1, ["x".repeat(5_000)]: 1 };
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`n${at}`, at]));
    const answer = await world.post(retrieveIn(world), { ...search, ...odd, ...many });
    ok(answer);
    const fieldNames = (answer.headers.get("X-Ignored-Fields") ?? "").split(", ");
    assert.equal(fieldNames.length, 20);
    assert.equal(fieldNames[0], "%C3%A9%2C%20%0D%0AX-Evil%3A%201");
    assert.equal(answer.headers.get("X-Evil"), null);
  },
  "are named by agents, webhooks and scopes too": async (world) => {
    const ignoredFields = async (path: string, body: object, token = world.token) =>
      (await world.post(path, { ...body, extra: 1 }, token)).headers.get("X-Ignored-Fields");
    const webhook = `/api/webhooks/web/${world.webSourceId}`;
    assert.equal(
      await ignoredFields(`/api/agents/${world.agent}/invoke`, { prompt: "leave" }),
      "extra",
    );
    assert.equal(await ignoredFields(webhook, { urls: [] }, world.webhookSecret), "extra");
    const scope = { type: "path", value: "nothing/" };
    assert.equal(await ignoredFields(`/api/rags/${world.rag}/scopes`, scope), "extra");
    const plain = `/api/inferences/${world.plain}/retrieve`;
    assert.equal(await ignoredFields(plain, {}), "extra");
  },
});

const scopes = section("POST and DELETE scopes", {
  "POST tells how many files the scope holds": async (world) => {
    const path = `/api/rags/${world.scopedRag}/scopes`;
    const filesUnder = async (value: string) => {
      const scope = { type: "path", value };
      const answer = await world.post(path, scope);
      ok(await world.del(path, scope));
      return { status: answer.status, files: answer.headers.get("X-Scope-Files") };
    };
    assert.deepEqual(await filesUnder("notes/"), { status: 200, files: "3" });
    assert.deepEqual(await filesUnder("guidebook.md"), { status: 200, files: "1" });
    assert.deepEqual(await filesUnder("nowhere/"), { status: 200, files: "0" });
  },
  "a token without manageScopes gets 403 on both, and reads as before": async (world) => {
    const creation = await world.panel("POST", "/tokens", {
      name: "Reads only",
      rags: [world.scopedRag],
      manageScopes: false,
    });
    assert.equal(creation.status, 201);
    const { id, token, manageScopes } = creation.body as Record<string, string>;
    assert.equal(manageScopes, false);
    const rag = `/api/rags/${world.scopedRag}`;
    const scope = { type: "path", value: "notes/" };
    assertIs(await world.post(`${rag}/scopes`, scope, token), 403, { error: "Forbidden" });
    assertIs(await world.del(`${rag}/scopes`, scope, token), 403, { error: "Forbidden" });
    // Before the body is looked at.
    assertIs(await world.post(`${rag}/scopes`, {}, token), 403, { error: "Forbidden" });
    ok(await world.post(`${rag}/retrieve`, search, token));
    ok(await world.get(rag, token));
    await world.panel("DELETE", `/tokens/${id}`);
  },
});

export const headers: Rule[] = [...limits, ...files, ...errors, ...ignored, ...scopes];
