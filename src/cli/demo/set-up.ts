import { BUILT_IN_MODELS } from "../../ports/models.ts";
import { dataOf, dataUnless, panelApi, publicApi, signIn, type PanelApi } from "../api/clients.ts";
import { ApiError } from "../api/patient-fetch.ts";
import { CommandFailure } from "../failure.ts";
import { LOCAL_EMAIL, type DemoState } from "./demo-state.ts";
import type { Subject } from "./subject.ts";

/** Used by `npm run dev`, which may have used the same state before; never valid in production. */
const KNOWN_PASSWORD = "quarry";
const KEY_NAME = "npm start";
const TOKEN_NAME = "npm start";
const UNAUTHORIZED = 401;
const NOT_FOUND = 404;

const SYSTEM_PROMPT =
  "Answer the question from the documents that you are given, in the language of the question. " +
  "Be brief and exact. When the documents do not hold the answer, say so.";

/**
 * Opens the panel's API with the key of an earlier start, else signs in and creates one. `origin`:
 * of the service's own pages.
 */
export async function openPanel(
  baseUrl: string,
  state: DemoState,
  origin: string,
): Promise<PanelApi> {
  if (state.key !== null) {
    const api = panelApi(baseUrl, state.key);
    const accepted = await dataUnless(UNAUTHORIZED, api.GET("/rags", { params: {} }));
    if (accepted !== null) return api;
  }
  try {
    const signedIn = await signInWith(baseUrl, state.password ?? "", origin);
    const body = { name: KEY_NAME, role: "admin" } as const;
    state.key = (await dataOf(signedIn.POST("/keys", { body }))).key;
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.status !== UNAUTHORIZED) throw thrown;
    throw new CommandFailure(
      `The local panel refused ${LOCAL_EMAIL}: its password was changed. ` +
        "Use another folder for local state (--state), or sign in with the new one.",
    );
  }
  return panelApi(baseUrl, state.key);
}

/** Signs in with the password of this state, which replaces the known development password. */
async function signInWith(baseUrl: string, password: string, origin: string): Promise<PanelApi> {
  try {
    return await signIn(baseUrl, LOCAL_EMAIL, password, origin);
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.status !== UNAUTHORIZED) throw thrown;
    const api = await signIn(baseUrl, LOCAL_EMAIL, KNOWN_PASSWORD, origin);
    const body = { currentPassword: KNOWN_PASSWORD, newPassword: password };
    await api.PATCH("/session/password", { body });
    return api;
  }
}

/** Creates the subject's resources, or updates them to the settings of this start. */
export async function setUpResources(
  api: PanelApi,
  { identifier, name }: Subject,
  chatModel: string,
): Promise<void> {
  const at = { params: { path: { id: identifier } } };
  const named = { name, identifier };
  const settings = { reranker: BUILT_IN_MODELS.reranker };
  const answering = { systemPrompt: SYSTEM_PROMPT, model: chatModel, rags: [identifier] };
  await ensure(
    {},
    api.GET("/file-sources/{id}", at),
    () => api.POST("/file-sources", { body: { ...named, provider: "file_system" } }),
    (body) => api.PATCH("/file-sources/{id}", { ...at, body }),
  );
  await ensure(
    settings,
    api.GET("/rags/{id}", at),
    () => api.POST("/rags", { body: { ...named, fileSource: identifier, ...settings } }),
    (body) => api.PATCH("/rags/{id}", { ...at, body }),
  );
  for (const kind of ["/inferences", "/agents"] as const) {
    await ensure(
      answering,
      api.GET(`${kind}/{id}`, at),
      () => api.POST(kind, { body: { ...named, ...answering } }),
      (body) => api.PATCH(`${kind}/{id}`, { ...at, body }),
    );
  }
}

/** The token of an earlier start while it is valid, else a new one. */
export async function ensureToken(
  baseUrl: string,
  api: PanelApi,
  state: DemoState,
  { identifier }: Subject,
): Promise<string> {
  if (state.token !== null && (await isAccepted(baseUrl, state.token, identifier))) {
    return state.token;
  }
  const body = { name: TOKEN_NAME, agents: ["*"], inferences: ["*"], rags: ["*"] };
  const { token } = await dataOf(api.POST("/tokens", { body }));
  state.token = token;
  return token;
}

async function isAccepted(baseUrl: string, token: string, identifier: string): Promise<boolean> {
  const params = { path: { identifier } };
  const rag = publicApi(baseUrl, token).GET("/api/rags/{identifier}", { params });
  return (await dataUnless(UNAUTHORIZED, rag)) !== null;
}

/** Creates a resource, or updates it where its settings differ from those of this start. */
async function ensure<Settings extends object>(
  settings: Settings,
  find: Promise<{ data?: object }>,
  create: () => Promise<unknown>,
  change: (differing: Partial<Settings>) => Promise<unknown>,
): Promise<void> {
  const found = await dataUnless(NOT_FOUND, find);
  if (found === null) return void (await create());
  const before = new Map(Object.entries(found ?? {}));
  const differing = Object.entries(settings).filter(
    ([field, wanted]) => JSON.stringify(before.get(field)) !== JSON.stringify(wanted),
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- some fields of the settings
  if (differing.length > 0) await change(Object.fromEntries(differing) as Partial<Settings>);
}
