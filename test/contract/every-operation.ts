import createClient from "openapi-fetch";

import type { paths } from "#api-types/public";

type Names = { rag: string; scopedRag: string; inference: string; source: string; file: string };

/**
 * A program as a stranger would write it, from the published specification alone: its client and
 * types are made from that. It calls every published operation and returns what each one said.
 */
export async function callEveryOperation(
  baseUrl: string,
  token: string,
  names: Names,
  fetch: (request: Request) => Promise<Response>,
) {
  const headers = { Authorization: `Bearer ${token}` };
  const client = createClient<paths>({ baseUrl, headers, fetch });
  const rag = { params: { path: { identifier: names.rag } } };
  const scopedRag = { params: { path: { identifier: names.scopedRag } } };
  const inference = { params: { path: { identifier: names.inference } } };
  const semanticSearch = ["How many days of paid leave are there?"];
  const scope = { type: "path", value: "notes/labelled.md" } as const;

  const page = { path: { identifier: names.rag }, query: { page: 1, limit: 2 } };
  const groups = { path: { identifier: names.inference }, query: { page: 1 } };
  const source = { identifier: names.inference, file_source_identifier: names.source };
  const run = { prompt: "How many days of leave?", semanticSearch };
  return {
    listRags: await client.GET("/api/rags"),
    getRag: await client.GET("/api/rags/{identifier}", rag),
    retrieveFromRag: await client.POST("/api/rags/{identifier}/retrieve", {
      ...rag,
      body: { semanticSearch, topK: 3 },
    }),
    listRagFiles: await client.GET("/api/rags/{identifier}/files", { params: page }),
    addRagScope: await client.POST("/api/rags/{identifier}/scopes", { ...scopedRag, body: scope }),
    removeRagScope: await client.DELETE("/api/rags/{identifier}/scopes", {
      ...scopedRag,
      body: scope,
    }),
    listInferences: await client.GET("/api/inferences"),
    runInference: await client.POST("/api/inferences/{identifier}", { ...inference, body: run }),
    retrieveForInference: await client.POST("/api/inferences/{identifier}/retrieve", {
      ...inference,
      body: { semanticSearch },
    }),
    listInferenceFiles: await client.GET("/api/inferences/{identifier}/files", { params: groups }),
    getFileStatus: await client.GET(
      "/api/inferences/{identifier}/file-sources/{file_source_identifier}",
      { params: { path: source, query: { file: names.file } } },
    ),
  };
}
