import assert from "node:assert/strict";

import { dataOf, publicApi, type PanelApi } from "../../../src/cli/api/clients.ts";
import { CREDENTIALS, startObjectStorage } from "../../doubles/object-storage/object-storage.ts";
import { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";
import { serveOpenAi } from "../../doubles/openai-compatible/serve.ts";
import { countsOf } from "../../end-to-end/local-service.ts";
import { NOTES, pushNotes } from "../notes.ts";
import { until, type Counterpart, type Tools } from "../tools.ts";

const MODULE = "github.com/Shopify/toxiproxy/v2/cmd/server@v2.12.0";
const DIMENSIONS = 16;
const PATIENCE_MS = 90_000;

type Service = { api: PanelApi; url: string; token: string };
type Toxic = { type: string; attributes: Record<string, number> };

/** Faults of a network between the service and others. */
const TOXICS: Record<string, Toxic> = {
  "connections are reset": { type: "reset_peer", attributes: { timeout: 0 } },
  "no byte comes": { type: "timeout", attributes: { timeout: 0 } },
  "answers are cut after 200 bytes": { type: "limit_data", attributes: { bytes: 200 } },
};

/** A way to a server, on which toxics work. */
type Line = {
  address: string;
  poison: (toxic: Toxic) => Promise<void>;
  clean: () => Promise<void>;
};

export const counterpart: Counterpart = {
  about: "toxiproxy between the service and its model, its embedder and its storage",
  async install(tools) {
    await tools.goInstall(MODULE);
    return MODULE.split("@v").at(-1) ?? "unknown";
  },
  async check(tools) {
    const control = await tools.port();
    const args = ["-host", "127.0.0.1", "-port", String(control)];
    await tools.start(await tools.goInstall(MODULE), args, control);
    const line = lines(tools, `http://127.0.0.1:${control}`);
    const embed = (text: string) =>
      Array.from({ length: DIMENSIONS }, (_, at) => (text.charCodeAt(at) || 1) / 128);
    const server = await serveOpenAi(new OpenAiDouble({ models: ["chat", "letters"], embed }));
    tools.onClose(server.close);
    const models = await line("models", server.baseUrl);
    const service = await tools.quarryWithRag([
      `OPENAI_COMPATIBLE_BASE_URL:${models.address}`,
      "OPENAI_COMPATIBLE_API_KEY:none",
      "EMBEDDING_MODEL:local/letters",
      `EMBEDDING_DIMENSIONS:${DIMENSIONS}`,
    ]);
    const { api } = service;
    await checkIndexing(tools, api, models);
    await checkAnswers(tools, service, models);
    const storage = await startObjectStorage("library");
    tools.onClose(() => storage.stop());
    await storage.put("a.md", "# A\n\nBadgers dig setts.");
    await storage.put("b.md", "# B\n\nHerons stand still.");
    await checkStorage(tools, api, { ...storage, line: await line("storage", storage.endpoint) });
  },
};

function lines(tools: Tools, control: string) {
  const call = async (method: string, path: string, body: unknown = null) => {
    const init = body === null ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${control}${path}`, { method, ...init });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  };
  return async (name: string, address: string): Promise<Line> => {
    const { host, pathname } = new URL(address);
    const listen = `127.0.0.1:${await tools.port()}`;
    await call("POST", "/proxies", { name, listen, upstream: host, enabled: true });
    return {
      address: `http://${listen}${pathname === "/" ? "" : pathname}`,
      poison: async ({ type, attributes }) =>
        await call("POST", `/proxies/${name}/toxics`, { name: "only", type, attributes }),
      clean: async () => await call("DELETE", `/proxies/${name}/toxics/only`),
    };
  };
}

async function checkIndexing(tools: Tools, api: PanelApi, models: Line): Promise<void> {
  for (const [what, toxic] of Object.entries(TOXICS)) {
    await tools.check(
      `files wait while ${what} at the embedder, and are indexed after`,
      async () => {
        await models.poison(toxic);
        const files = Object.keys(NOTES).map((path) => `${toxic.type}/${path}`);
        await pushNotes(api, toxic.type);
        await models.clean();
        await until(async () => {
          const page = await dataOf(
            api.GET("/file-sources/{id}/files", {
              params: { path: { id: "docs" }, query: { path: toxic.type } },
            }),
          );
          const statuses = page.data.map(({ status }) => status);
          assert.deepEqual(
            statuses,
            files.map(() => "indexed"),
          );
        });
      },
    );
  }
}

async function checkAnswers(tools: Tools, service: Service, models: Line): Promise<void> {
  const { api } = service;
  const naming = { name: "Answering", identifier: "answering" };
  const body = { ...naming, model: "local/chat", systemPrompt: "Be brief." };
  await api.POST("/inferences", { body });
  const caller = publicApi(service.url, service.token);
  const ask = async () =>
    await caller
      .POST("/api/inferences/{identifier}", {
        params: { path: { identifier: "answering" } },
        body: { prompt: "Hello" },
      })
      .then(() => "answered", String);
  for (const [what, toxic] of Object.entries(TOXICS)) {
    await tools.check(`an answer fails in words while ${what} at the model`, async () => {
      await models.poison(toxic);
      const startedAt = Date.now();
      const outcome = await ask();
      await models.clean();
      assert.match(outcome, /model/i);
      assert.ok(Date.now() - startedAt < PATIENCE_MS, `${Date.now() - startedAt} ms`);
      assert.equal(await ask(), "answered");
    });
  }
  await tools.check("the RAG has what was indexed", async () => {
    assert.ok((await countsOf(api)).processedFiles > 0);
  });
}

type Bucket = { line: Line; bucket: string };

async function checkStorage(tools: Tools, api: PanelApi, { line, bucket }: Bucket): Promise<void> {
  const naming = { name: "Bucket", identifier: "bucket" };
  const at = { endpoint: line.address, region: "us-east-1", bucket, pathStyle: true };
  const config = { ...at, credentials: CREDENTIALS };
  const provider = "object_storage" as const;
  await api.POST("/file-sources", { body: { ...naming, provider, config } });
  const id = { params: { path: { id: "bucket" } } };
  /** The last run, once it is another one than before and says how it went. */
  const lastRun = async (before: string | null) =>
    await until(async () => {
      const { lastScan } = await dataOf(api.GET("/file-sources/{id}", id));
      assert.ok(lastScan !== null && lastScan.startedAt !== before);
      assert.ok(
        lastScan.finishedAt !== null || lastScan.error !== null || lastScan.problems.length > 0,
      );
      return lastScan;
    });
  const scan = async () => await api.POST("/file-sources/{id}/scan", { ...id, body: {} });
  const first = await lastRun(null);
  await tools.check("a bucket is listed", () => assert.equal(first.added, 2));
  for (const [what, toxic] of Object.entries(TOXICS)) {
    await tools.check(`a scan while ${what} removes nothing, a later one is whole`, async () => {
      const { startedAt } = await lastRun(null);
      await line.poison(toxic);
      await scan();
      const failed = await lastRun(startedAt);
      await line.clean();
      assert.equal(failed.removed, 0);
      await scan();
      await until(async () => {
        const { lastScan } = await dataOf(api.GET("/file-sources/{id}", id));
        assert.ok(lastScan?.finishedAt != null && lastScan.startedAt !== startedAt);
        assert.deepEqual([lastScan.error, lastScan.removed, lastScan.unchanged], [null, 0, 2]);
      });
    });
  }
}
