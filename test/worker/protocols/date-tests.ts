import { beforeAll, describe, expect, test } from "vitest";

import { queuesSettled } from "../../support/queues-settled.ts";
import { program, type ProtocolsWorld } from "./world.ts";

const OLD = "2025-03-01T09:00:00.000Z";
const NEW = "2026-03-01T09:00:00.000Z";
const POLICIES: [string, string, string][] = [
  ["old.md", "# Travel policy 2025\n\nTravel by train is paid in second class.", OLD],
  ["new.md", "# Travel policy 2026\n\nTravel by train is paid in first class, by night.", NEW],
];
/** Notes that speak of trains, too. */
const NOTES = Array.from({ length: 8 }, (_, at): [string, string, string] => [
  `notes/${at}.md`,
  `# Note ${at}\n\nThe train of line ${at} leaves at ${at} o'clock.`,
  NEW,
]);

const TRAVEL = { semanticSearch: ["travel by train"], topK: 2 };

type DatedChunk = { source: { filePath: string; modifiedAt: string } };

/** Two versions of one policy, a year apart. */
export function dateTests(world: () => ProtocolsWorld): void {
  describe("when files were changed", () => {
    let api: ReturnType<typeof program>;
    const putFile = async (path: string, text: string, modified: string) => {
      const more = { "X-File-Modified": modified };
      await world().panel.put(`/file-sources/policies/files/${path}`, text, "text/markdown", more);
    };
    beforeAll(async () => {
      const { panel, token } = world();
      await panel.folderWithRag("policies");
      for (const file of [...POLICIES, ...NOTES]) await putFile(...file);
      await queuesSettled();
      api = program(await token({ rags: ["policies"] }));
    });

    const retrieved = async (more: object) => {
      const selectedFiles = ["old.md", "new.md"];
      const request = {
        useAllFiles: false,
        selectedFiles,
        includeSources: true,
        ...TRAVEL,
        ...more,
      };
      const { body } = await api.post("/api/rags/policies/retrieve", request);
      return (body as { chunks: DatedChunk[] }).chunks.map(({ source }) => source);
    };
    const pathsOf = (chunks: { filePath: string }[]) =>
      chunks.map(({ filePath }) => filePath).sort();

    test("passages tell it, and a search keeps to it", async () => {
      expect((await retrieved({})).map(({ modifiedAt }) => modifiedAt).sort()).toEqual([OLD, NEW]);
      for (const [request, expected] of [
        [{ modifiedAfter: "2026-01-01" }, ["new.md"]],
        [{ modifiedAfter: NEW }, ["new.md"]],
        [{ modifiedBefore: NEW }, ["old.md"]],
        [{ modifiedAfter: "2025-01-01", modifiedBefore: "2027-01-01" }, ["new.md", "old.md"]],
        [{ modifiedAfter: "2026-01-01", providerFilter: [{ field: "mimeType", values: [] }] }, []],
      ] as const) {
        expect(pathsOf(await retrieved(request))).toEqual(expected);
      }
      for (const modifiedAfter of ["2026-02-30", "yesterday", "2026-01-01T10:00:00"]) {
        const request = { semanticSearch: ["travel"], modifiedAfter };
        const { status, body } = await api.post("/api/rags/policies/retrieve", request);
        expect({ status, body }).toMatchObject({
          status: 400,
          body: { error: expect.stringContaining("modifiedAfter") },
        });
      }
    });

    test("other protocols tell it and filter by it", async () => {
      const filter = (type: string, value: unknown) => ({ type, key: "modifiedAt", value });
      const stores = async (condition: object) => {
        const pathFilter = { type: "in", key: "path", value: ["old.md", "new.md"] };
        const filters = { type: "and", filters: [pathFilter, condition] };
        const request = { query: "travel by train", filters };
        const { body } = await api.post("/v1/vector_stores/policies/search", request);
        const { data } = body as {
          data: { filename: string; attributes: { modifiedAt: string } }[];
        };
        return data.map(({ filename, attributes }) => [filename, attributes.modifiedAt]);
      };
      const newer = [["new.md", NEW]];
      expect(await stores(filter("gte", "2026-01-01"))).toEqual(newer);
      expect(await stores(filter("gt", Date.parse(OLD) / 1_000))).toEqual(newer);
      expect(await stores(filter("eq", "2026-03-01T10:00:00+01:00"))).toEqual(newer);
      expect(await stores(filter("nin", [OLD]))).toEqual(newer);
      expect(await stores(filter("in", [Date.parse(NEW) / 1_000]))).toEqual(newer);
      for (const [comparison_operator, value] of [
        ["before", "2026-01-01"],
        ["before", Date.parse(NEW) / 1_000],
        ["<", String(Date.parse(NEW) / 1_000)],
        ["is", OLD],
      ]) {
        const conditions = [{ name: "modifiedAt", comparison_operator, value }];
        const { body } = await api.post("/dify/retrieval", {
          knowledge_id: "policies",
          query: "travel by train",
          retrieval_setting: { top_k: 5, score_threshold: 0 },
          metadata_condition: { conditions },
        });
        expect(body).toMatchObject({
          records: [{ metadata: { path: "old.md", modifiedAt: OLD } }],
        });
      }
      const call = {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "search", arguments: { query: "travel", modifiedBefore: "2026-01-01" } },
      };
      const { body: reply } = await api.post("/mcp", call, { Accept: "application/json" });
      expect(reply).toMatchObject({
        result: { structuredContent: { results: [{ path: "old.md", modifiedAt: OLD }] } },
      });
    });

    test("with a half-life the newer of equals is first, and the year that is named wins", async () => {
      const first = async (query: string) => {
        const request = { semanticSearch: [query], useAllFiles: true, topK: 1 };
        return pathsOf(await retrieved(request));
      };
      const { panel } = world();
      const halfLife = async (recencyHalfLifeDays: number | null) =>
        await panel.send("PATCH", "/rags/policies", { recencyHalfLifeDays });
      expect(await first("travel by train")).toEqual(["old.md"]);
      expect(await halfLife(180)).toMatchObject({
        status: 200,
        body: { recencyHalfLifeDays: 180 },
      });
      expect(await first("travel by train")).toEqual(["new.md"]);
      expect(await first("travel by train in 2025")).toEqual(["old.md"]);
      const { body } = await panel.send("POST", "/rags/policies/search", TRAVEL);
      expect(body).toMatchObject({
        chunks: [{ explanation: { recency: expect.any(Number) } }, {}],
      });
      expect((await halfLife(0)).status).toBe(400);
      await halfLife(null);
    });

    test("it is kept when the same bytes come again without it, and changes with them", async () => {
      const { panel } = world();
      const text = "# Trips\n\nTravel by train.";
      await putFile("old.md", text, OLD);
      await panel.put("/file-sources/policies/files/old.md", text, "text/markdown");
      const path = "/file-sources/policies/files/old.md";
      expect((await panel.send("GET", path)).body).toMatchObject({ modifiedAt: OLD });
      await panel.put(path, `${text} It has changed.`, "text/markdown");
      const { body } = await panel.send("GET", path);
      expect(Date.parse((body as { modifiedAt: string }).modifiedAt)).toBeGreaterThan(
        Date.parse(NEW),
      );
      const wrong = { "X-File-Modified": "soon" };
      expect(await panel.put(path, text, "text/markdown", wrong)).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining("X-File-Modified") },
      });
    });
  });
}
