import { DEFAULT_IMAGE_MODEL, seesPictures } from "../../core/models/model-kind.ts";
import { NAMED } from "../../core/principals.ts";
import { BUILT_IN_MODELS } from "../../ports/models.ts";
import { dataOf, panelApi, publicApi, signIn, nullIf, type PanelApi } from "../api/clients.ts";
import { CommandFailure } from "../failure.ts";
import { LOCAL_EMAIL, type DemoState } from "./demo-state.ts";
import { RUNS_ELSEWHERE } from "./model-settings.ts";
import type { Subject } from "./subject.ts";

/** Used by `npm run dev`, which may have used the same state before; never valid in production. */
const KNOWN_PASSWORD = "quarry";
/** Names the key and the token. */
const OUR_NAME = "npm start";
const PERSON = "user:";
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const NOT_FOUND = 404;

const SYSTEM_PROMPT =
  "Answer the question from the documents that you are given, in the language of the question. " +
  "Be brief and exact. When the documents do not hold the answer, say so.";

/** With the key of an earlier start, else a new one. `origin`: of the service's own pages. */
export async function openPanel(baseUrl: string, state: DemoState, origin: string) {
  if (state.key !== null) {
    const api = panelApi(baseUrl, state.key);
    if ((await nullIf(UNAUTHORIZED, api.GET("/rags", { params: {} }))) !== null) return api;
  }
  const signedIn = await signInLocally(baseUrl, state.password ?? "", origin);
  const body = { name: OUR_NAME, role: "admin" } as const;
  state.key = (await dataOf(signedIn.POST("/keys", { body }))).key;
  return panelApi(baseUrl, state.key);
}

/** Signs in with the password of this state, which replaces the known development password. */
async function signInLocally(baseUrl: string, password: string, origin: string): Promise<PanelApi> {
  const trySignIn = (typed: string) =>
    nullIf(UNAUTHORIZED, signIn(baseUrl, LOCAL_EMAIL, typed, origin));
  const signedIn = await trySignIn(password);
  if (signedIn !== null) return signedIn;
  const api = await trySignIn(KNOWN_PASSWORD);
  if (api === null) {
    throw new CommandFailure(
      `The local panel refused ${LOCAL_EMAIL}: its password was changed. ` +
        "Use another folder for local state (--state), or sign in with the new one.",
    );
  }
  const body = { currentPassword: KNOWN_PASSWORD, newPassword: password };
  await api.PATCH("/session/password", { body });
  return api;
}

/**
 * Creates the subject's resources, or updates them to the settings of this start. The source gets
 * an image model, unless it had one: who took that away wants none. With permissions on, returns
 * for whom this start asks: the first person among the default readers, else the administrator.
 */
export async function setUpResources(
  api: PanelApi,
  { identifier, name }: Subject,
  chatModel: string,
  { withImageModel }: Pick<DemoState, "withImageModel">,
): Promise<string | undefined> {
  const params = { path: { id: identifier } };
  const [source, ...runners] = await Promise.all([
    nullIf(NOT_FOUND, dataOf(api.GET("/file-sources/{id}", { params }))),
    nullIf(NOT_FOUND, api.GET("/rags/{id}", { params })),
    nullIf(NOT_FOUND, api.GET("/inferences/{id}", { params })),
    nullIf(NOT_FOUND, api.GET("/agents/{id}", { params })),
  ]);
  const records = [source, ...runners];
  const imageModelBefore = source?.imageModel ?? null;
  const hadOne = source !== null && withImageModel.includes(identifier);
  const mayChoose = !hadOne && hasNoImageModel(imageModelBefore);
  const imageModel = (mayChoose ? await findSeeingModel(api) : null) ?? imageModelBefore;
  const answering = { systemPrompt: SYSTEM_PROMPT, model: chatModel, rags: [identifier] };
  const all = {
    fileSources: [{ provider: "file_system" }, { imageModel }],
    rags: [{ fileSource: identifier }, { reranker: BUILT_IN_MODELS.reranker }],
    inferences: [{}, answering],
    agents: [{}, answering],
  };
  const maps = Object.entries(all).map(([kind, [creation, settings]], at) => {
    // Who gave it another name, provider or source keeps that.
    const first = records[at] === null ? { name, ...creation } : {};
    return [kind, { [identifier]: { ...first, ...settings } }];
  });
  await api.POST("/config", { body: Object.fromEntries(maps) });
  if (!withImageModel.includes(identifier) && !hasNoImageModel(imageModel))
    withImageModel.push(identifier);
  return source?.permissions === "on" ? readerAmong(source.defaultReaders) : undefined;
}

function readerAmong(defaultReaders: string[]): string {
  const person = defaultReaders.find((principal) => principal.startsWith(PERSON));
  return person?.slice(PERSON.length) ?? LOCAL_EMAIL;
}

/** Sources of before there was a choice name what reads pictures in production alone. */
const hasNoImageModel = (imageModel: unknown) =>
  imageModel === null || imageModel === DEFAULT_IMAGE_MODEL;

/** The first model of a local server that sees, as far as its name shows. */
async function findSeeingModel(api: PanelApi): Promise<string | null> {
  const servers = await dataOf(api.GET("/model-servers"));
  const names = servers.flatMap(({ models }) => models.map(({ model }) => model));
  return names.find((name) => seesPictures(name) && !RUNS_ELSEWHERE.test(name)) ?? null;
}

/** Keeps the token of an earlier start while it serves, else makes one; `reader`: it names some. */
export async function ensureToken(
  baseUrl: string,
  api: PanelApi,
  state: DemoState,
  { identifier }: Subject,
  reader: string | undefined,
): Promise<void> {
  if (state.token !== null) {
    const params = { path: { identifier } };
    const call = publicApi(baseUrl, state.token, { reader }).GET("/api/rags/{identifier}", {
      params,
    });
    if ((await nullIf(UNAUTHORIZED, nullIf(FORBIDDEN, call))) !== null) return;
  }
  const all = { agents: ["*"], inferences: ["*"], rags: ["*"] };
  const body = { name: OUR_NAME, ...all, reader: reader === undefined ? null : NAMED };
  state.token = (await dataOf(api.POST("/tokens", { body }))).token;
}
