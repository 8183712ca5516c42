import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { connected } from "./mcp-tests.ts";
import { program, type ProtocolsWorld } from "./world.ts";

const MANY = [
  ["inferences", "id"],
  ["rag_files", "file_id"],
  ["files", "id"],
] as const;

/** 1,010 inferences, and 520 files of the RAG `notes`. */
async function addMany(): Promise<void> {
  const numbers = Array.from({ length: 1_010 }, (_, at) => at + 1_000);
  const statements: [sql: string, count: number][] = [
    [
      `insert into inferences (id, name, identifier, system_prompt, model, created_at)
        select 'many' || value, 'Many', 'many-' || value, '', 'embedded/extractive', 0
        from json_each(?1)`,
      1_010,
    ],
    [
      `insert into files (id, file_source_id, path, name, size, mime_type, version, metadata,
        created_at) select 'many' || value, r.file_source_id, 'many/' || value, 'many', 1,
        'text/plain', '1', '{}', 0 from json_each(?1), rags r where r.identifier = 'notes'`,
      520,
    ],
    [
      `insert into rag_files (rag_id, generation, file_id, path, status, revision)
        select r.id, x.generation, 'many' || value, 'many/' || value, 'indexed', 1
        from json_each(?1), rags r join (select distinct rag_id, generation from rag_files) x
        on x.rag_id = r.id where r.identifier = 'notes'`,
      520,
    ],
  ];
  for (const [sql, count] of statements) {
    await env.DB.prepare(sql)
      .bind(JSON.stringify(numbers.slice(0, count)))
      .run();
  }
}

/** The names of a list of MCP, page by page. */
async function namesOf(token: string, list: string): Promise<string[][]> {
  const Accept = "application/json, text/event-stream";
  const pages: string[][] = [];
  for (let cursor: unknown = undefined; pages.length === 0 || cursor !== undefined;) {
    const request = { jsonrpc: "2.0", id: 1, method: `${list}/list`, params: { cursor } };
    const { body } = await program(token).post("/mcp", request, { Accept });
    const { result } = body as { result: Record<string, { name: string }[] | undefined> };
    pages.push((result[list] ?? []).map(({ name }) => name));
    cursor = result["nextCursor"];
  }
  return pages;
}

/** The ids of all models, page by page. */
async function modelsOf(token: string): Promise<string[][]> {
  const pages: string[][] = [];
  for (let after = "", more = true; more;) {
    const { body } = await program(token).get(`/v1/models${after}`);
    const page = body as { data: { id: string }[]; has_more: boolean; last_id: string };
    pages.push(page.data.map(({ id }) => id));
    more = page.has_more;
    after = `?after=${page.last_id}`;
  }
  return pages;
}

export function longListTests(world: () => ProtocolsWorld): void {
  test("lists of more than 500 entries come in pages, each entry once", async () => {
    const token = await world().token();
    await addMany();
    try {
      const session = await connected(token, "auto");
      const lists: [pages: string[][], sizes: number[], begins: string][] = [
        [await namesOf(token, "tools"), [202, 200, 200, 200, 200], "ask_many-"],
        [await namesOf(token, "prompts"), [200, 200, 200, 200, 200], "ask_many-"],
        [await namesOf(token, "resources"), [100, 100, 100, 100, 100], "many/"],
        [await modelsOf(token), [1_000], "inference/many-"],
      ];
      for (const [pages, sizes, begins] of lists) {
        const names = pages.flat();
        const full = pages.slice(0, -1).map((page) => page.length);
        expect({ begins, full }).toEqual({ begins, full: sizes });
        expect(new Set(names).size).toBe(names.length);
        expect(names.filter((name) => name.startsWith(begins)).length).toBeGreaterThan(500);
      }
      // The client collects the pages.
      const { tools } = await session.listTools();
      expect(tools.slice(-2).map(({ name }) => name)).toEqual(["agent_helper", "agent_spy"]);
      await expect(session.listTools({ cursor: "nonsense" })).rejects.toThrow(/cursor/);
      expect((await program(token).get("/v1/models?after=some%2Fnonsense")).status).toBe(400);
      expect((await program(token).get("/v1/models/agent/spy")).status).toBe(200);
    } finally {
      for (const [table, column] of MANY) {
        await env.DB.prepare(`delete from ${table} where ${column} like 'many%'`).run();
      }
    }
  });
}
