import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";

import { REFUSED_SEARCHES } from "./refused.ts";
import { openAiErrorOf as errorOf, program, type ProtocolsWorld } from "./world.ts";

type Page = { data: { id: string }[]; last_id: string };

export function vectorStoreTests(getWorld: () => ProtocolsWorld): void {
  let api: ReturnType<typeof program>;

  beforeAll(async () => {
    api = program(await getWorld().token());
  });

  describe("vector stores", () => {
    test("are the RAGs that the token covers, in pages", async () => {
      const all = (await api.get("/v1/vector_stores?order=asc")).body as { data: { id: string }[] };
      expect(all.data.map(({ id }) => id).sort()).toEqual(["notes", "secrets"]);
      const first = (await api.get("/v1/vector_stores?order=asc&limit=1")).body as Page;
      expect(first).toMatchObject({ object: "list", has_more: true, data: [all.data[0]] });
      const next = await api.get(`/v1/vector_stores?order=asc&limit=1&after=${first.last_id}`);
      expect(next.body).toMatchObject({ has_more: false, data: [all.data[1]] });
      expect((await api.get("/v1/vector_stores/notes")).body).toMatchObject({
        id: "notes",
        object: "vector_store",
        status: "completed",
        file_counts: { completed: 3, failed: 0, in_progress: 0, cancelled: 0, total: 3 },
      });
      expect(errorOf(await api.get("/v1/vector_stores?order=foo"))).toMatchObject({
        status: 400,
        param: "order",
      });
      expect(errorOf(await api.get("/v1/vector_stores?limit=0"))).toMatchObject({
        status: 400,
        param: "limit",
      });
      expect(errorOf(await api.get("/v1/vector_stores/none"))).toMatchObject({
        status: 404,
        message: expect.stringContaining("see GET /v1/models"),
      });
    });

    const searched = async (more: object) => {
      const { body, status } = await api.post("/v1/vector_stores/notes/search", {
        query: "boiler",
        ...more,
      });
      expect({ status, body }).toMatchObject({ status: 200 });
      return body as { data: { filename: string; score: number }[]; search_query: string[] };
    };
    const paths = async (filters: unknown) =>
      (await searched({ filters })).data.map(({ filename }) => filename).sort();

    test("are searched; results say where they are from", async () => {
      const metadata = { year: 2026, author: "Ann", draft: false, labels: ["a"], start: 7 };
      await env.DB.prepare("update files set metadata = ? where path = 'handbook/boiler.md'")
        .bind(JSON.stringify(metadata))
        .run();
      const { data, search_query } = await searched({
        query: ["boiler service"],
        max_num_results: 1,
      });
      expect(search_query).toEqual(["boiler service"]);
      expect(data).toEqual([
        {
          file_id: "notes/handbook/boiler.md",
          filename: "handbook/boiler.md",
          score: expect.any(Number),
          attributes: {
            year: 2026,
            author: "Ann",
            draft: false,
            mime_type: "text/markdown",
            modifiedAt: expect.any(String),
            path: "handbook/boiler.md",
            headings: "Boiler",
            position: 0,
            start: 0,
            end: 48,
          },
          content: [{ type: "text", text: expect.stringContaining("service in spring") }],
        },
      ]);
      const { data: near } = await searched({ ranking_options: { score_threshold: 0.99 } });
      expect(near).toEqual([]);
    });

    test("filters are held exactly", async () => {
      const eq = (key: string, value: unknown, type = "eq") => ({ type, key, value });
      const all = Object.freeze(["handbook/boiler.md", "handbook/leave.md", "reports/boiler.csv"]);
      expect(await paths(null)).toEqual(all);
      expect(await paths(eq("folder", "handbook"))).toEqual(all.slice(0, 2));
      expect(await paths(eq("folder", "handbook/", "ne"))).toEqual(all.slice(2));
      expect(await paths(eq("path", ["reports/boiler.csv", "none"], "in"))).toEqual(all.slice(2));
      expect(await paths(eq("mime_type", "text/csv"))).toEqual(all.slice(2));
      expect(await paths(eq("mime_type", ["text/csv"], "nin"))).toEqual(all.slice(0, 2));
      const both = [eq("folder", "handbook"), eq("path", "handbook/leave.md", "ne")];
      expect(await paths({ type: "and", filters: both })).toEqual(all.slice(0, 1));
      expect(await paths({ type: "or", filters: [eq("folder", "reports"), both[1]] })).toEqual([
        all[0],
        all[2],
      ]);
      expect(await paths(eq("size", 3, "gt"))).toEqual([]);
    });

    test("what they cannot hold is a 400", async () => {
      for (const [body, param] of REFUSED_SEARCHES) {
        const error = errorOf(await api.post("/v1/vector_stores/notes/search", body));
        expect(error).toMatchObject({ status: 400, param });
      }
    });
  });
}
