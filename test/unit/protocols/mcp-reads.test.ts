import { Hono } from "hono";
import { expect, test } from "vitest";

import { newToken } from "../../../src/access/credential-format.ts";
import { parseConfig } from "../../../src/config.ts";
import { jsonLog } from "../../../src/core/log.ts";
import { RecentLookups } from "../../../src/db/access/recent-lookups.ts";
import type { AppEnv } from "../../../src/http/app-env.ts";
import { mcpProtocol } from "../../../src/protocols/mcp/app.ts";
import type { Services } from "../../../src/services.ts";
import { noLimits } from "../../support/no-limits.ts";

const TOKEN = {
  kind: "token",
  tokenId: "t",
  name: "A",
  manageScopes: 0,
  expiresAt: null,
  lastUsedAt: 0,
  reader: null,
  readerGroups: "[]",
};
/** A row as the statement names its columns: a RAG without files. */
const rag = (identifier: string, sql: string) => {
  const names = [...sql.matchAll(/ as "([^"]+)"/g)].map(([, name = ""]) => name);
  const row: Record<string, unknown> = {
    id: identifier,
    name: identifier,
    identifier,
    status: "active",
    scopeMode: "global",
    searchMode: "hybrid",
    reranker: null,
    vectorsIn: "object",
    embeddingModel: "embedded/hash",
    "fileSource.id": "s",
    "fileSource.name": "s",
    "fileSource.identifier": "s",
    "fileSource.provider": "file_system",
  };
  return Object.fromEntries(names.map((name) => [name, name in row ? row[name] : 0]));
};

/** Lists a request's reads of a database whose token covers 30 RAGs without files. */
async function readsOf(method: string, params: object): Promise<string[][]> {
  const batches: string[][] = [];
  const rowsFor = (sql: string): object[] => {
    if (sql.startsWith("select 'token' as")) return [TOKEN];
    return sql.includes("t.all_rags = 1")
      ? Array.from({ length: 30 }, (_, at) => rag(`r${at}`, sql))
      : [];
  };
  const $client = {
    prepare: (sql: string) => ({ bind: () => sql }),
    batch: (sqls: string[]) => {
      batches.push(sqls);
      return Promise.resolve(sqls.map((sql) => ({ results: rowsFor(sql) })));
    },
  };
  const services = {
    config: parseConfig({ ENVIRONMENT: "development" }),
    now: () => 0,
    log: jsonLog(() => {}),
    reads: { $client },
    recentLookups: new RecentLookups(),
    spending: noLimits,
    rateLimits: () => Promise.resolve({ allowed: true, limit: 1, remaining: 1, resetMs: 1 }),
  } as unknown as Services;
  const app = new Hono<AppEnv>();
  app.use(async (context, next) => {
    context.set("services", services);
    await next();
  });
  app.route("/mcp", mcpProtocol());
  const response = await app.request("/mcp", {
    method: "POST",
    headers: {
      Authorization: `Bearer ${newToken()}`,
      Accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id: 1 });
  return batches;
}

test("a message reads its caller, and no lists that it has no use for", async () => {
  expect(await readsOf("ping", {})).toEqual([[expect.stringContaining("from tokens")]]);
  const reads = await readsOf("tools/call", { name: "ask_none", arguments: { prompt: "a" } });
  expect(reads).toHaveLength(2);
  expect(reads.flat().join()).not.toMatch(/agents|order by m\.identifier/);
  expect(await readsOf("tools/call", { name: "none", arguments: {} })).toHaveLength(1);
});

test("RAGs without indexed files cost a list of resources nothing", async () => {
  expect(await readsOf("resources/list", {})).toHaveLength(2);
});
