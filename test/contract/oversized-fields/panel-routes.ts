import type { World } from "../world.ts";
import type { Route } from "./places.ts";

/** Nothing listens there, and none of our guards lets anything be sent to it. */
const NOWHERE = "https://[::1]:9/";
const LATER = "2100-01-01T00:00:00Z";

const titled = { name: "Oversized", identifier: "oversized" };
const scan = { scanIntervalMinutes: 0 };
const answering = {
  systemPrompt: "Answer.",
  model: "embedded/extractive",
  temperature: 0.5,
  maxOutputTokens: 100,
};

/** With an identifier that is taken: what fits is refused last, and nothing of it is scanned. */
const SOURCES = [
  { provider: "file_system", config: {} },
  {
    provider: "web",
    config: {
      startUrls: [NOWHERE],
      sitemapUrls: [NOWHERE],
      maxDepth: 0,
      maxPages: 1,
      include: ["/a/**"],
      exclude: ["/b/**"],
    },
  },
  {
    provider: "object_storage",
    config: {
      endpoint: NOWHERE,
      region: "r",
      bucket: "b",
      prefix: "p/",
      pathStyle: true,
      credentials: { accessKeyId: "a", secretAccessKey: "s", sessionToken: "t" },
    },
  },
  { provider: "object_storage", config: { r2: true, prefix: "p/" } },
  {
    provider: "cloud_drive",
    config: {
      credentials: { client_email: "a@x.test", private_key: "k", private_key_id: "i" },
      rootFolderId: "f",
      sharedDriveId: "d",
      subject: "a@x.test",
      labelIds: ["l"],
      apiBaseUrl: NOWHERE,
    },
  },
  {
    provider: "document_site",
    config: {
      tenantId: "t",
      clientId: "c",
      clientSecret: "s",
      siteId: "s",
      driveId: "d",
      apiBaseUrl: NOWHERE,
      loginBaseUrl: NOWHERE,
    },
  },
];

/** Segments of the panel's paths that are no parameters. */
export const FIXED_SEGMENTS = new Set(
  [
    "api panel health embed webhooks web drive graph session sessions password users keys file-sources",
    "scan check webhook-secret files manifest text rags estimate index reindex return retry inferences",
    "agents tokens models usage overview audit invoke retrieve scopes openapi.json docs",
    "totp confirm runs folders search passages preview question-sets questions import export",
    "results comparison",
  ]
    .join(" ")
    .split(" "),
);

type Method = [method: string, path: string, more?: Partial<Route>];

const BATCH = '--b\r\nContent-Disposition: form-data; filename="a.md"\r\n\r\nA note.\r\n--b--';
const BATCH_HEADERS = { "Content-Type": "multipart/form-data; boundary=b" };

const SEARCH = {
  semanticSearch: ["leave"],
  topK: 5,
  useReranking: true,
  candidateMultiplier: 2,
  similarityThreshold: 0.1,
  includeDuplicates: true,
  useAllFiles: false,
  selectedFiles: ["guide/leave.md"],
  selectedFolders: ["guide/"],
  providerFilter: [{ field: "labels", values: ["a"] }],
  searchMode: "hybrid",
  reranker: "embedded/lexical",
};

/** The set that the world is given for them. */
export const QUESTION_SET = "oversized-set";

function questionMethods(rag: string, paging: Record<string, string>): Method[] {
  const set = `/question-sets/${QUESTION_SET}`;
  const question = {
    question: "How long is the leave?",
    expected: [{ file: "guide/leave.md", passage: "26 days" }],
    check: null,
    answer: null,
    jsonSchema: null,
  };
  const setting = {
    target: rag,
    model: "embedded/extractive",
    reranker: "embedded/lexical",
    topK: 5,
    searchMode: "hybrid",
    useReranking: true,
    candidateMultiplier: 2,
    similarityThreshold: 0.1,
    includeDuplicates: true,
  };
  const lines = { "Content-Type": "application/x-ndjson" };
  return [
    ["GET", "/question-sets", { query: paging }],
    ["POST", "/question-sets", { body: { ...titled, rag: "nothing", judgeModel: null } }],
    ["GET", set],
    ["PATCH", set, { body: { name: "Oversized", judgeModel: "embedded/extractive" } }],
    ["DELETE", "/question-sets/nothing"],
    ["GET", `${set}/questions`, { query: paging }],
    ["POST", `${set}/questions`, { body: question }],
    ["PATCH", `${set}/questions/nothing`, { body: question }],
    ["DELETE", `${set}/questions/nothing`],
    ["POST", `${set}/import`, { bytes: '{"question":"Who?"}', headers: lines }],
    ["GET", `${set}/export`, { query: { format: "csv" } }],
    ["GET", `${set}/runs`, { query: paging }],
    ["POST", `${set}/runs`, { body: { setting } }],
    ["GET", `${set}/runs/nothing`],
    ["GET", `${set}/runs/nothing/results`, { query: paging }],
    ["GET", `${set}/runs/nothing/comparison`, { query: { with: "nothing" } }],
    ["DELETE", `${set}/runs/nothing`],
  ];
}

/** All routes of the panel API; what they would remove is nothing that the world needs. */
export function panelRoutes(world: World, models: unknown): Route[] {
  const { source, rag, inference, agent } = world;
  const paging = { page: "1", limit: "5" };
  const file = `/file-sources/${source}/files/guide%2Fnothing.md`;
  const newRag = {
    ...titled,
    fileSource: source,
    scopeMode: "scoped",
    scopes: [{ type: "path", value: "guide/" }],
    chunkSize: 400,
    chunkOverlap: 60,
    reranker: "embedded/lexical",
    searchMode: "hybrid",
    status: "active",
  };
  const newInference = { ...titled, nativeRag: true, rags: [rag], ...answering };
  const newAgent = { ...titled, description: "", maxSteps: 5, rags: [rag], ...answering };
  const newToken = {
    name: "Oversized",
    agents: [agent],
    inferences: [inference],
    rags: [rag],
    manageScopes: false,
    expiresAt: LATER,
  };
  const cutting = { chunkSize: 400, chunkOverlap: 60 };
  const wish = {
    ...cutting,
    embeddingModel: "embedded/hash",
    dimensions: 64,
    reindex: true,
  };
  const user = { email: "oversized@example.com", password: "quiet amber lantern", role: "member" };
  const methods: Method[] = [
    ...questionMethods(rag, paging),
    ["GET", "/openapi.json"],
    ["POST", "/session", { body: { email: "nobody@example.com", password: "wrong" } }],
    ["GET", "/session"],
    ["PATCH", "/session/password", { body: { currentPassword: "w", newPassword: user.password } }],
    ["POST", "/session/totp"],
    ["POST", "/session/totp/confirm", { body: { code: "000000" } }],
    ["DELETE", "/session/totp", { body: { code: "000000", password: "wrong" } }],
    ["GET", "/sessions", { query: paging }],
    ["DELETE", "/sessions/nothing"],
    ["GET", "/audit", { query: { ...paging, actor: "a", action: "b", from: LATER, to: LATER } }],
    ["GET", "/audit", { query: { format: "jsonl", actor: "a" } }],
    ["GET", "/users", { query: paging }],
    ["POST", "/users", { body: user }],
    ["PATCH", "/users/nothing", { body: user }],
    ["DELETE", "/users/nothing"],
    ["DELETE", "/users/nothing/totp"],
    ["GET", "/keys", { query: paging }],
    ["POST", "/keys", { body: { name: "Oversized", role: "member", expiresAt: LATER } }],
    ["DELETE", "/keys/nothing"],
    ["GET", "/file-sources", { query: paging }],
    ...SOURCES.map((of): Method => [
      "POST",
      "/file-sources",
      { body: { name: "Oversized", identifier: source, ...of, ...scan } },
    ]),
    ["GET", `/file-sources/${source}`],
    ["PATCH", `/file-sources/${source}`, { body: { name: "Docs", config: {}, ...scan } }],
    ["DELETE", "/file-sources/nothing"],
    ["POST", `/file-sources/${source}/scan`, { body: { confirmRemovals: false } }],
    ["POST", `/file-sources/${source}/check`],
    ["POST", "/file-sources/nothing/webhook-secret"],
    ["GET", `/file-sources/${source}/files`, { query: { ...paging, status: "error", path: "a/" } }],
    ["PUT", file, { bytes: "A note.", headers: { "X-File-Metadata": '{"labels":["a"]}' } }],
    ["DELETE", file],
    ["GET", file],
    ["POST", `/file-sources/${source}/files`, { bytes: BATCH, headers: BATCH_HEADERS }],
    ["GET", `/file-sources/${source}/runs`, { query: paging }],
    ["GET", `/file-sources/${source}/folders`, { query: { path: "guide/", after: "a" } }],
    ["GET", `/file-sources/${source}/manifest`, { query: { cursor: "a" } }],
    ["GET", `/file-sources/${source}/text/guide%2Fleave.md`, { query: { start: "0", end: "9" } }],
    ["GET", "/rags", { query: paging }],
    ["POST", "/rags", { body: newRag }],
    ["GET", `/rags/${rag}`],
    ["PATCH", `/rags/${rag}`, { body: { ...newRag, identifier: rag } }],
    ["DELETE", "/rags/nothing"],
    ["POST", `/rags/${rag}/retry`, { query: { path: "guide/leave.md" } }],
    ["GET", `/rags/${rag}/index`],
    ["POST", `/rags/${rag}/estimate`, { body: wish }],
    ["POST", `/rags/${rag}/preview`, { body: { path: "guide/leave.md", ...cutting } }],
    ["GET", `/rags/${rag}/passages`, { query: { ...paging, path: "guide/leave.md" } }],
    ["POST", `/rags/${rag}/search`, { body: SEARCH }],
    ["POST", "/rags/nothing/reindex"],
    ["POST", "/rags/nothing/return"],
    ["GET", "/inferences", { query: paging }],
    ["POST", "/inferences", { body: newInference }],
    ["GET", `/inferences/${inference}`],
    ["PATCH", `/inferences/${inference}`, { body: { ...newInference, identifier: inference } }],
    ["DELETE", "/inferences/nothing"],
    ["GET", "/agents", { query: paging }],
    ["POST", "/agents", { body: newAgent }],
    ["GET", `/agents/${agent}`],
    ["PATCH", `/agents/${agent}`, { body: { ...newAgent, identifier: agent } }],
    ["DELETE", "/agents/nothing"],
    ["GET", "/tokens", { query: paging }],
    ["POST", "/tokens", { body: newToken }],
    ["DELETE", "/tokens/nothing"],
    ["GET", "/models"],
    ["PUT", "/models", { body: models }],
    ["GET", "/usage", { query: { from: "2026-01-01", to: "2026-02-01", group: "day" } }],
    ["GET", "/overview"],
  ];
  return methods.map(([method, path, more]) => {
    const route: Route = { method, path: `/panel/api${path}`, of: "panel" };
    return Object.assign(route, more);
  });
}
