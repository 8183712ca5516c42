import { assert, assertIs, isInvalid, keysOf, needing, section, type Rule } from "../rule.ts";
import type { World } from "../world.ts";

const MIB = 1_024 * 1_024;

const send = async (world: World, body: BodyInit) =>
  await world.client.call({
    method: "POST",
    path: `/api/rags/${world.rag}/retrieve`,
    token: world.token,
    body,
  });

const errors = section("Errors", {
  "a 400 names every failing field with its path": async (world) => {
    const answer = await world.post(`/api/inferences/${world.inference}`, {
      topK: 101,
      selectedFiles: [{ ragIdentifier: world.rag, files: ["a", 5] }, {}],
    });
    isInvalid(
      answer,
      [
        "prompt is required",
        "topK must be at most 100",
        "selectedFiles[0].files[1] must be a string",
        "selectedFiles[1].ragIdentifier is required",
        "selectedFiles[1].files is required",
        "semanticSearch is required",
      ].join("; "),
    );
  },
  "a body that is no JSON, and one that is no object": async (world) => {
    for (const body of ["{", "semanticSearch=leave", "\u0000"]) {
      isInvalid(await send(world, body), "body is not valid JSON");
    }
    isInvalid(await send(world, Buffer.from('{"a":"é"}', "latin1")), "body is not UTF-8");
    for (const body of ["[]", "null", '"text"', "3"]) {
      isInvalid(await send(world, body), "body must be an object");
    }
  },
  "a body over 1 MiB is 413": async (world) => {
    const padded = (size: number) => {
      const start = '{"semanticSearch":["leave"],"padding":"';
      return `${start}${"x".repeat(size - start.length - 2)}"}`;
    };
    assertIs(await send(world, padded(MIB + 1)), 413, { error: "Payload too large" });
    assert.equal((await send(world, padded(MIB))).status, 200);
  },
  "every answer has X-Request-Id, the caller's own when it is a sane one": async (world) => {
    const ask = async (id?: string) =>
      await world.client.call({
        method: "GET",
        path: "/api/nothing",
        ...(id === undefined ? {} : { headers: { "X-Request-Id": id } }),
      });
    assert.equal((await ask("trace-7f3a.1")).headers.get("X-Request-Id"), "trace-7f3a.1");
    for (const odd of [undefined, "a b", "x".repeat(129), '"><script>']) {
      const id = (await ask(odd)).headers.get("X-Request-Id") ?? "";
      assert.ok(id !== odd && /^[0-9a-f-]{36}$/.test(id), id);
    }
  },
});

const rates = section("Limits: request rate", {
  "every limited answer carries RateLimit-Policy and RateLimit": async (world) => {
    const surfaces: [string, string][] = [
      ["/api/rags", "api"],
      ["/api/inferences", "api"],
      ["/api/agents/x", "api"],
      ["/api/webhooks/web/x", "webhooks"],
      ["/embed/x", "embed"],
    ];
    for (const [path, surface] of surfaces) {
      const { headers } = await world.client.call({ method: "GET", path });
      const policy = new RegExp(String.raw`^"${surface}";q=\d+;w=60$`);
      assert.match(headers.get("RateLimit-Policy") ?? "", policy);
      assert.match(headers.get("RateLimit") ?? "", new RegExp(`^"${surface}";r=\\d+;t=\\d+$`));
    }
  },
  "documentation is not limited; /embed serves nothing yet": async (world) => {
    const docs = await world.client.call({ method: "GET", path: "/api/docs" });
    assert.equal(docs.headers.get("RateLimit"), null);
    const embed = await world.client.call({ method: "GET", path: "/embed/anything" });
    assertIs(embed, 404, { error: "Not found" });
  },
});

const exceeded = needing(
  "own addresses",
  section("Limits: request rate", {
    "past the limit it is 429 with Retry-After, before authentication": async (world) => {
      const ask = async (address: string) =>
        await world.client.call({
          method: "GET",
          path: "/embed/x",
          token: "no token at all",
          address,
          impatient: true,
        });
      const first = await ask("198.51.100.7");
      const quota = Number(/q=(\d+)/.exec(first.headers.get("RateLimit-Policy") ?? "")?.[1]);
      const rest = await Promise.all(
        Array.from({ length: quota + 4 }, async () => await ask("198.51.100.7")),
      );
      const refusals = rest.filter(({ status }) => status === 429);
      assert.equal(refusals.length, 5);
      const [refusal] = refusals;
      assert.deepEqual(refusal?.body, { error: "Too many requests" });
      assert.match(refusal.headers.get("Retry-After") ?? "", /^[1-9]\d?$/);
      assert.equal((await ask("198.51.100.8")).status, 404);
    },
  }),
);

const publication = section("Published specification", {
  "is OpenAPI 3.1 of exactly the published operations": async (world) => {
    const answer = await world.client.call({ method: "GET", path: "/api/openapi.json" });
    const document = answer.body as {
      openapi: string;
      paths: Record<string, object>;
      servers: { url: string }[];
    };
    assert.match(document.openapi, /^3\.1\./);
    assert.equal(document.servers[0]?.url, world.client.baseUrl);
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      keysOf(methods).map((method) => `${method} ${path}`),
    );
    assert.deepEqual(operations, [
      "get /api/rags",
      "get /api/rags/{identifier}",
      "post /api/rags/{identifier}/retrieve",
      "get /api/rags/{identifier}/files",
      "delete /api/rags/{identifier}/scopes",
      "post /api/rags/{identifier}/scopes",
      "get /api/inferences",
      "post /api/inferences/{identifier}",
      "post /api/inferences/{identifier}/retrieve",
      "get /api/inferences/{identifier}/files",
      "get /api/inferences/{identifier}/file-sources/{file_source_identifier}",
    ]);
  },
  "the reference is a page under a strict policy, from this host alone": async (world) => {
    const page = await world.client.call({ method: "GET", path: "/api/docs" });
    assert.match(page.headers.get("Content-Type") ?? "", /^text\/html/);
    const policy = page.headers.get("Content-Security-Policy") ?? "";
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe|\*|https?:/);
    const loaded = page.text.matchAll(/<(?!a )[^>]*(?:src|href)="([^"]+)"/g);
    const assets = Array.from(loaded, ([, url]) => url ?? "");
    assert.ok(assets.length > 1);
    for (const url of assets.filter((asset) => asset !== "data:,")) {
      assert.match(url, /^\/assets\//);
      assert.equal((await world.client.call({ method: "GET", path: url })).status, 200);
    }
  },
});

export const errorsAndLimits: Rule[] = [...errors, ...rates, ...exceeded, ...publication];
