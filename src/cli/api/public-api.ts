import { z } from "zod";

import type { ServerEvent } from "./read-events.ts";
import { sendForJson } from "./send.ts";
import type { ApiTarget } from "./send.ts";

const source = z.looseObject({
  filePath: z.string(),
  name: z.string(),
  page: z.number().nullish(),
  headings: z.array(z.string()).nullish(),
});
export const chunk = z.looseObject({
  text: z.string(),
  score: z.number(),
  source: source.optional(),
});
export const retrieval = z.looseObject({
  chunks: z.array(chunk),
  degraded: z.looseObject({ message: z.string().optional() }).optional(),
});
const rag = z.looseObject({
  name: z.string(),
  identifier: z.string(),
  status: z.string(),
  totalFiles: z.number(),
  processedFiles: z.number(),
  numberVectors: z.number(),
});
const fileEntry = z.looseObject({
  filePath: z.string(),
  status: z.string(),
  size: z.number(),
  errorMessage: z.string().nullable(),
});
const filePage = z.looseObject({ data: z.array(fileEntry), total: z.number() });
const inference = z.looseObject({
  identifier: z.string(),
  fileSources: z.array(z.looseObject({ ragIdentifier: z.string() })),
});
const contentBlock = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  citations: z.array(z.looseObject({ item: z.number() })).optional(),
});
const delta = z.looseObject({ text: z.string() });
const run = z.looseObject({
  response: z.union([z.array(contentBlock), z.array(z.unknown()), z.looseObject({})]),
  items: z.array(chunk),
  degraded: z.looseObject({}).optional(),
});

export type Chunk = z.infer<typeof chunk>;
export type Retrieval = z.infer<typeof retrieval>;
export type FileEntry = z.infer<typeof fileEntry>;
export type Run = z.infer<typeof run>;

/** Body of a retrieval, as the API's documentation describes it. */
export type RetrievalRequest = {
  semanticSearch: string[];
  topK?: number;
  useReranking?: boolean;
  candidateMultiplier?: number;
  similarityThreshold?: number;
  includeSources?: boolean;
  useAllFiles?: boolean;
  selectedFiles?: string[];
  selectedFolders?: string[];
};

export type RunRequest = Partial<Omit<RetrievalRequest, "selectedFiles" | "selectedFolders">> & {
  prompt: string;
  selectedFiles?: { ragIdentifier: string; files: string[] }[];
  selectedFolders?: { ragIdentifier: string; folders: string[] }[];
  jsonSchema?: string;
};

const segment = encodeURIComponent;

/** The public API with a token. */
export function publicApi(baseUrl: string, token: string, credential = "QUARRY_TOKEN") {
  const target: ApiTarget = { baseUrl, headers: { Authorization: `Bearer ${token}` }, credential };
  return {
    rag: (id: string) =>
      sendForJson(target, { path: `/api/rags/${segment(id)}`, what: `RAG ${id}` }, rag),

    /** One page of a RAG's files; `status` restricts it. */
    ragFiles: (id: string, page: number, status?: string) => {
      const query = new URLSearchParams({ page: String(page), limit: "100" });
      if (status !== undefined) query.set("status", status);
      const path = `/api/rags/${segment(id)}/files?${query.toString()}`;
      return sendForJson(target, { path, what: `RAG ${id}` }, filePage);
    },

    retrieve: (id: string, json: RetrievalRequest) => {
      const path = `/api/rags/${segment(id)}/retrieve`;
      return sendForJson(target, { method: "POST", path, json, what: `RAG ${id}` }, retrieval);
    },

    inferences: () => sendForJson(target, { path: "/api/inferences" }, z.array(inference)),

    runInference: (id: string, json: RunRequest) => {
      const path = `/api/inferences/${segment(id)}`;
      return sendForJson(target, { method: "POST", path, json, what: `inference ${id}` }, run);
    },

    /** The same; `onText` receives the answer as it is written. */
    streamInference: (id: string, json: RunRequest, onText: (text: string) => void) => {
      const onEvent = ({ name, data }: ServerEvent) => {
        const said = delta.safeParse(data);
        if (name === "delta" && said.success) onText(said.data.text);
      };
      const path = `/api/inferences/${segment(id)}`;
      const what = `inference ${id}`;
      return sendForJson(target, { method: "POST", path, json, what, onEvent }, run);
    },
  };
}

export type PublicApi = ReturnType<typeof publicApi>;

/** Indexes of the items that the answer cites, in the order of the text. */
export function citedItems(response: Run["response"]): number[] {
  const blocks = z.array(contentBlock).safeParse(response);
  const cited = (blocks.data ?? []).flatMap(({ citations = [] }) => citations);
  return [...new Set(cited.map(({ item }) => item))];
}

/** An inference's response as text: its text blocks, or the JSON that a schema asked for. */
export function answerText(response: Run["response"]): string {
  if (!Array.isArray(response)) return JSON.stringify(response, null, 2);
  const blocks = z.array(contentBlock).safeParse(response);
  const texts = blocks.success ? blocks.data.map(({ text }) => text ?? "") : [];
  return texts.length > 0 ? texts.join("\n\n") : JSON.stringify(response, null, 2);
}
