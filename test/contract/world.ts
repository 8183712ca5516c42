import { strict as assert } from "node:assert";

import { waitMs, type Answer, type Client } from "./client.ts";
import { DOCUMENTS, OTHER_DOCUMENTS, type SampleDocument } from "./documents.ts";
import { publishedFrom } from "./published.ts";

/** Makes what no API call can make: a model or a reranker that does not work. */
export type Sabotage = {
  failModel?: (inferenceIdentifier: string) => Promise<void>;
  failReranker?: (ragIdentifier: string) => Promise<void>;
};

/** Resources that the rules use, made through the panel API. */
export type World = {
  client: Client;
  sabotage: Sabotage;
  /** Identifiers. */
  rag: string;
  scopedRag: string;
  otherRag: string;
  brittleRag: string;
  inference: string;
  plain: string;
  tools: string;
  failing: string;
  agent: string;
  source: string;
  otherSource: string;
  webSourceId: string;
  fileSourceId: string;
  webhookSecret: string;
  /** Tokens: everything of this world; one of each kind; nothing; revoked. */
  token: string;
  limited: string;
  none: string;
  revoked: string;
  admin: string;
  member: string;
  get: (path: string, token?: string) => Promise<Answer>;
  post: (path: string, json: unknown, token?: string) => Promise<Answer>;
  del: (path: string, json: unknown, token?: string) => Promise<Answer>;
  /** With a session's cookie from our own pages. */
  as: (cookie: string, method: string, path: string, json?: unknown) => Promise<Answer>;
  panel: (method: string, path: string, json?: unknown) => Promise<Answer>;
  tearDown: () => Promise<void>;
};

export type Admin = { email: string; password: string };

const POLL_MS = 100;
/** A vector index may take minutes to show what was written. */
const INDEXED_WITHIN_MS = 600_000;
const MEMBER_PASSWORD = "a member of the conformance suite";

/** Takes a panel answer apart, or says what the service said. */
function expectCreated<Body>(answer: Answer, status = 201): Body {
  assert.equal(answer.status, status, answer.text.slice(0, 500));
  return answer.body as Body;
}

async function signIn(client: Client, { email, password }: Admin): Promise<string> {
  const answer = await client.call({
    method: "POST",
    path: "/panel/api/session",
    json: { email, password },
  });
  assert.equal(answer.status, 200, "the panel sign-in is not accepted");
  return answer.headers.get("Set-Cookie")?.split(";", 1)[0] ?? "";
}

export async function setUpWorld(
  client: Client,
  administrator: Admin,
  sabotage: Sabotage,
): Promise<World> {
  const prefix = `conformance-${crypto.randomUUID().slice(0, 8)}`;
  const name = (suffix: string) => `${prefix}-${suffix}`;
  const origin = new URL(client.baseUrl).origin;
  const document = await client.call({ method: "GET", path: "/api/openapi.json" });
  client.published = publishedFrom(document.body);

  const as: World["as"] = async (cookie, method, path, json) =>
    await client.call({ method, path, cookie, json, headers: { Origin: origin } });
  const admin = await signIn(client, administrator);
  const panel: World["panel"] = async (method, path, json) =>
    await as(admin, method, `/panel/api${path}`, json);
  const undo: string[] = [];
  const create = async <Body = { id: string }>(kind: string, body: unknown): Promise<Body> => {
    const created = expectCreated<Body & { id: string }>(await panel("POST", `/${kind}`, body));
    undo.unshift(`/${kind}/${created.id}`);
    return created;
  };
  const tearDown = async () => {
    for (const path of undo) await panel("DELETE", path);
  };

  try {
    const settings = { client, sabotage, as, panel, create, name, admin };
    const resources = await makeResources(settings);
    const callers = await makeCallers(settings, resources);
    const token = callers.token;
    return {
      client,
      sabotage,
      ...resources,
      ...callers,
      admin,
      get: async (path, by = token) => await client.call({ method: "GET", path, token: by }),
      post: async (path, json, by = token) =>
        await client.call({ method: "POST", path, json, token: by }),
      del: async (path, json, by = token) =>
        await client.call({ method: "DELETE", path, json, token: by }),
      as,
      panel,
      tearDown,
    };
  } catch (thrown) {
    await tearDown();
    throw thrown;
  }
}

type Making = Pick<World, "client" | "sabotage" | "as" | "panel" | "admin"> & {
  create: <Body = { id: string }>(kind: string, body: unknown) => Promise<Body>;
  name: (suffix: string) => string;
};

async function makeResources(making: Making) {
  const { create, name } = making;
  const titled = (suffix: string) => ({ name: `Conformance ${suffix}`, identifier: name(suffix) });
  const provider = "file_system";
  const source = await create("file-sources", { ...titled("docs"), provider });
  await create("file-sources", { ...titled("others"), provider });
  const web = await create<{ id: string; webhookSecret: string }>("file-sources", {
    ...titled("web"),
    provider: "web",
    config: { startUrls: [], sitemapUrls: [], maxDepth: 0, maxPages: 10 },
    scanIntervalMinutes: 0,
  });
  const main = { fileSource: name("docs") };
  const reranker = "embedded/lexical";
  await create("rags", { ...titled("main"), ...main, reranker });
  const scopes = [{ type: "path", value: "guide/" }];
  await create("rags", { ...titled("scoped"), ...main, scopeMode: "scoped", scopes });
  await create("rags", { ...titled("zother"), fileSource: name("others") });
  await create("rags", { ...titled("brittle"), fileSource: name("others"), reranker });

  const model = "embedded/extractive";
  const systemPrompt = "Answer from the passages alone.";
  const answering = { systemPrompt, model };
  const rags = [name("main"), name("zother")];
  await create("inferences", { ...titled("ask"), ...answering, rags });
  await create("inferences", { ...titled("plain"), ...answering });
  const tools = { ...answering, nativeRag: false, rags: [name("main")] };
  await create("inferences", { ...titled("tools"), ...tools });
  await create("inferences", { ...titled("failing"), ...answering });
  const description = "Looks things up.";
  await create("agents", { ...titled("agent"), description, ...answering, rags: [name("main")] });
  await making.sabotage.failModel?.(name("failing"));
  await making.sabotage.failReranker?.(name("brittle"));
  await fill(making, name("docs"), DOCUMENTS);
  await fill(making, name("others"), OTHER_DOCUMENTS);
  for (const rag of ["main", "scoped", "zother", "brittle"]) await untilSettled(making, name(rag));
  return {
    rag: name("main"),
    scopedRag: name("scoped"),
    otherRag: name("zother"),
    brittleRag: name("brittle"),
    inference: name("ask"),
    plain: name("plain"),
    tools: name("tools"),
    failing: name("failing"),
    agent: name("agent"),
    source: name("docs"),
    otherSource: name("others"),
    webSourceId: web.id,
    fileSourceId: source.id,
    webhookSecret: web.webhookSecret,
  };
}

async function fill({ client, admin }: Making, source: string, documents: SampleDocument[]) {
  for (const { path, text, metadata } of documents) {
    const upload = await client.call({
      method: "PUT",
      path: `/panel/api/file-sources/${source}/files/${path}`,
      cookie: admin,
      body: text,
      headers: {
        Origin: new URL(client.baseUrl).origin,
        "Content-Type": "text/markdown",
        ...(metadata === undefined ? {} : { "X-File-Metadata": JSON.stringify(metadata) }),
      },
    });
    expectCreated(upload);
  }
}

/** Until nothing of the RAG is pending or being processed. */
async function untilSettled({ as, admin }: Making, rag: string): Promise<void> {
  const deadline = Date.now() + INDEXED_WITHIN_MS;
  for (;;) {
    const busy = await Promise.all(
      ["pending", "processing"].map(async (status) => {
        const path = `/api/rags/${rag}/files?page=1&limit=1&status=${status}`;
        return expectCreated<{ total: number }>(await as(admin, "GET", path), 200).total;
      }),
    );
    if (busy.every((total) => total === 0)) return;
    assert.ok(Date.now() < deadline, `${rag} is not indexed in time`);
    await waitMs(POLL_MS);
  }
}

type Callers = Pick<World, "token" | "limited" | "none" | "revoked" | "member">;

async function makeCallers(
  { client, create, name, panel }: Making,
  resources: Pick<World, "rag" | "scopedRag" | "otherRag" | "brittleRag" | "inference" | "plain"> &
    Pick<World, "tools" | "failing" | "agent">,
): Promise<Callers> {
  const token = async (title: string, groups: Record<string, string[]>) =>
    await create<{ id: string; token: string }>("tokens", { name: name(title), ...groups });
  const all = await token("all", {
    rags: [resources.rag, resources.scopedRag, resources.otherRag, resources.brittleRag],
    inferences: [resources.inference, resources.plain, resources.tools, resources.failing],
    agents: [resources.agent],
  });
  const coverage = { rags: [resources.otherRag], inferences: [resources.plain], agents: [] };
  const limited = await token("limited", coverage);
  const none = await token("none", {});
  const revoked = await token("revoked", coverage);
  await panel("DELETE", `/tokens/${revoked.id}`);
  const email = `${name("member")}@example.com`;
  await create("users", { email, password: MEMBER_PASSWORD, role: "member" });
  return {
    token: all.token,
    limited: limited.token,
    none: none.token,
    revoked: revoked.token,
    member: await signIn(client, { email, password: MEMBER_PASSWORD }),
  };
}
