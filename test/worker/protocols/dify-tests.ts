import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import { newToken } from "../../../src/access/credential-format.ts";
import { program, type ProtocolsWorld } from "./world.ts";

export function difyTests(world: () => ProtocolsWorld): void {
  const request = (more: object = {}) => ({
    knowledge_id: "notes",
    query: "boiler",
    retrieval_setting: { top_k: 5, score_threshold: 0.0 },
    ...more,
  });
  const condition = (name: string, comparison_operator: string, value?: unknown) => ({
    name,
    comparison_operator,
    ...(value === undefined ? {} : { value }),
  });

  describe("Dify's external knowledge", () => {
    test("records are the passages, with the metadata of their files", async () => {
      const metadata = { year: 2026, author: "Ann", labels: ["a"], start: 7 };
      await env.DB.prepare("update files set metadata = ? where path = 'handbook/boiler.md'")
        .bind(JSON.stringify(metadata))
        .run();
      const { post } = program(await world().token({ rags: ["notes"] }));
      const { status, body } = await post("/dify/retrieval", request());
      expect(status).toBe(200);
      const { records } = body as { records: { title: string; metadata: object }[] };
      expect(records).toHaveLength(3);
      expect(records).toContainEqual({
        content: expect.stringContaining("service in spring"),
        score: expect.any(Number),
        title: "boiler.md › Boiler",
        metadata: {
          year: 2026,
          author: "Ann",
          mime_type: "text/markdown",
          modifiedAt: expect.any(String),
          path: "handbook/boiler.md",
          rag: "notes",
          url: null,
          page: null,
          headings: ["Boiler"],
          start: 0,
          end: 48,
        },
      });
      const few = request({ retrieval_setting: { top_k: 1, score_threshold: 0.01 } });
      expect((await post("/dify/retrieval", few)).body).toMatchObject({ records: [{}] });
      const none = request({ retrieval_setting: { top_k: 5, score_threshold: 0.99 } });
      expect((await post("/dify/retrieval", none)).body).toEqual({ records: [] });
    });

    test("metadata conditions are held exactly", async () => {
      const { post } = program(await world().token({ rags: ["notes"] }));
      const pathsFor = async (conditions: object[], logical_operator?: string) => {
        const metadata_condition = { logical_operator, conditions };
        const answer = await post("/dify/retrieval", request({ metadata_condition }));
        expect(answer).toMatchObject({ status: 200 });
        const { records } = answer.body as { records: { metadata: { path: string } }[] };
        return records.map(({ metadata }) => metadata.path.replace(/^.*\//, "")).sort();
      };
      expect(await pathsFor([])).toHaveLength(3);
      expect(await pathsFor([condition("mime_type", "is", "text/csv")])).toEqual(["boiler.csv"]);
      expect(await pathsFor([condition("mime_type", "contains", "mark")])).toHaveLength(2);
      expect(await pathsFor([condition("path", "start with", "handbook/")])).toHaveLength(2);
      expect(await pathsFor([condition("path", "end with", ".csv")])).toEqual(["boiler.csv"]);
      expect(await pathsFor([condition("labels", "not empty")])).toEqual([]);
      expect(await pathsFor([condition("labels", "empty")])).toHaveLength(3);
      expect(await pathsFor([condition("size", "≥", "3")])).toEqual([]);
      expect(await pathsFor([condition("modified", "before", "2026-01-01")])).toEqual([]);
      const both = [
        condition("path", "not contains", "boiler"),
        condition("mime_type", "in", ["text/csv"]),
      ];
      expect(await pathsFor(both)).toEqual([]);
      expect(await pathsFor(both, "or")).toEqual(["boiler.csv", "leave.md"]);
      const list = "text/x-none, text/csv";
      expect(await pathsFor([condition("mime_type", "in", list)])).toEqual(["boiler.csv"]);
      expect(await pathsFor([condition("mime_type", "not in", list)])).toHaveLength(2);
    });

    test("errors have Dify's codes", async () => {
      const { token } = world();
      const by = program(await token({ rags: ["notes"] }));
      const statusAndCode = async (body: unknown, caller = by) => {
        const { status, body: answer } = await caller.post("/dify/retrieval", body);
        const { error_code, error_msg } = answer as { error_code: number; error_msg: string };
        expect(error_msg).toBeTypeOf("string");
        return [status, error_code];
      };
      expect(await statusAndCode(request(), program(null))).toEqual([401, 1001]);
      expect(await statusAndCode(request(), program("qry_wrong"))).toEqual([401, 1002]);
      const stranger = program(newToken());
      expect(await statusAndCode("{", stranger)).toEqual([401, 1002]);
      const { headers } = await stranger.post("/dify/retrieval", { unknown: 1 });
      expect(headers.get("X-Ignored-Fields")).toBeNull();
      expect((await stranger.get("/dify/retrieval")).status).toBe(404);
      expect(await statusAndCode(request({ knowledge_id: "secrets" }))).toEqual([403, 1002]);
      expect(await statusAndCode(request({ knowledge_id: "none" }))).toEqual([404, 2001]);
      expect((await by.post("/dify/retrieval/retrieval", request())).body).toMatchObject({
        error_msg: expect.stringContaining("ends in /dify"),
      });
      const wrong = [
        request({ query: " " }),
        request({ retrieval_setting: { top_k: 101, score_threshold: 0 } }),
        request({ metadata_condition: { conditions: [condition("a", "like", "b")] } }),
        request({ metadata_condition: { conditions: [condition("a", ">", "b")] } }),
        request({
          metadata_condition: { conditions: Array(31).fill(condition("a", "is", "b")) },
        }),
        request({ metadata_condition: { logical_operator: "xor", conditions: [] } }),
      ];
      for (const body of wrong) expect(await statusAndCode(body)).toEqual([400, 400]);
      const missing = { knowledge_id: undefined };
      for (const [body, message] of [
        ["{", "body is not valid JSON"],
        [request(missing), "knowledge_id is required"],
      ] as const) {
        const error_msg: unknown = expect.stringContaining(message);
        const refusal = await by.post("/dify/retrieval", body);
        expect(refusal).toMatchObject({ status: 400, body: { error_code: 400, error_msg } });
      }
    });
  });
}
