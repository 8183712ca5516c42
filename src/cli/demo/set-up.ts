import type { Kind, PanelApi } from "../api/panel-api.ts";
import { panelApi, signIn } from "../api/panel-api.ts";
import { publicApi } from "../api/public-api.ts";
import { ApiError } from "../api/send.ts";
import { CommandFailure } from "../failure.ts";
import type { DemoState } from "./demo-state.ts";
import type { Subject } from "./subject.ts";
import { LOCAL_EMAIL } from "./local-sign-in.ts";

/** Used by `npm run dev`, which may have used the same state before; never valid in production. */
const KNOWN_PASSWORD = "quarry";
const KEY_NAME = "npm start";
const TOKEN_NAME = "npm start";
const UNAUTHORIZED = 401;

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
    if (await api.works()) return api;
  }
  try {
    const signedIn = await signInWith(baseUrl, state.password ?? "", origin);
    state.key = await signedIn.createKey(KEY_NAME);
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
    await api.changePassword(KNOWN_PASSWORD, password);
    return api;
  }
}

/** Creates the subject's resources, or updates them to the settings of this start. */
export async function setUpResources(
  api: PanelApi,
  { identifier, name }: Subject,
  chatModel: string,
): Promise<void> {
  await ensure(api, "file-sources", identifier, { name, provider: "file_system" }, {});
  const ragSettings = { reranker: "embedded/lexical" };
  await ensure(api, "rags", identifier, { name, fileSource: identifier }, ragSettings);
  const answering = { systemPrompt: SYSTEM_PROMPT, model: chatModel, rags: [identifier] };
  await ensure(api, "inferences", identifier, { name }, answering);
  await ensure(api, "agents", identifier, { name }, answering);
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
  state.token = await api.createToken(TOKEN_NAME);
  return state.token;
}

async function isAccepted(baseUrl: string, token: string, identifier: string): Promise<boolean> {
  try {
    await publicApi(baseUrl, token).rag(identifier);
    return true;
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.status === UNAUTHORIZED) return false;
    throw thrown;
  }
}

/** `settings` are updated at every start; `once` applies only at creation. */
async function ensure(
  api: PanelApi,
  kind: Kind,
  identifier: string,
  once: Record<string, unknown>,
  settings: Record<string, unknown>,
): Promise<void> {
  const found = await api.find(kind, identifier);
  if (found === null) {
    await api.create(kind, { ...once, identifier, ...settings });
    return;
  }
  const differing = Object.entries(settings).filter(
    ([field, wanted]) => JSON.stringify(found[field]) !== JSON.stringify(wanted),
  );
  if (differing.length > 0) await api.change(kind, identifier, Object.fromEntries(differing));
}
