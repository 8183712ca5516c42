/**
 * The examples of the published specification. Every request works unchanged against a service
 * that `npm start` has set up: its RAG, inference and file source are called `sample`.
 */
const TIME = "2026-01-31T08:15:30.123Z";
const RAG_ID = "019c12ab-7f00-7a11-9c2e-2b6b3c5d7e90";
const NAME = "Fenwright handbook (sample)";

const rag = {
  id: RAG_ID,
  name: NAME,
  identifier: "sample",
  status: "active",
  totalFiles: 48,
  processedFiles: 48,
  numberVectors: 412,
};
const fileSource = {
  id: "019c12ab-7e00-7d5b-8a4f-5d1c9a0be3f2",
  name: NAME,
  identifier: "sample",
  provider: "file_system",
};
const chunk = {
  text: "Full-time employees have **26 days of paid leave a year**, on top of the eight bank holidays in England.",
  score: 0.731,
};
const state = {
  name: "leave.md",
  size: 4120,
  status: "indexed",
  indexedAt: TIME,
  errorMessage: null,
};
const file = { filePath: "handbook/leave.md", ...state, mimeType: "text/markdown" };
const slice = { total: 48, page: 1, limit: 20 };
const search = { semanticSearch: ["How many days of annual leave do I have?"], topK: 3 };
const defaults = {
  useReranking: false,
  candidateMultiplier: 2,
  includeDuplicates: false,
  useAllFiles: true,
  includeSystemPrompt: false,
};
const run = { prompt: "How many days of annual leave do I have?", ...search };

export const EXAMPLES = {
  ragList: [{ ...rag, fileSource }],
  ragDetail: { ...rag, fileSourceScopeMode: "global", fileSourceScopes: [] },
  ragRetrieve: search,
  ragRetrieved: { chunks: [chunk] },
  ragFilePage: { data: [{ ...file, externalId: null }], ...slice },
  scope: { type: "path", value: "handbook/" },
  ok: { ok: true },
  inferenceList: [
    {
      name: NAME,
      identifier: "sample",
      url: "https://quarry.example/api/inferences/sample",
      createdAt: TIME,
      fileSources: [
        { ragIdentifier: "sample", ragName: NAME, identifier: "sample", provider: "file_system" },
      ],
    },
  ],
  inferenceRun: run,
  inferenceRan: {
    response: [{ type: "text", text: "Full-time employees have 26 days of paid leave a year." }],
    inference: "sample",
    params: { ...run, ...defaults },
    items: [chunk],
    toolCalls: [],
  },
  inferenceRetrieve: search,
  inferenceRetrieved: { systemPrompt: "Answer from the passages.", chunks: [chunk] },
  inferenceFilePage: {
    data: [{ ragIdentifier: "sample", ragName: NAME, files: [file] }],
    ...slice,
  },
  fileState: state,
};
