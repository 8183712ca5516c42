import createClient from "openapi-fetch";

import type { components as Panel, paths as PanelPaths } from "#api-types/panel";
import type { components as Public, paths as PublicPaths } from "#api-types/public";
import { CommandFailure } from "../failure.ts";
import { ApiError, patientFetch, type ApiTarget } from "./patient-fetch.ts";

export type Chunk = Public["schemas"]["Chunk"];
export type Retrieval = Public["schemas"]["RagRetrieveResponse"];
export type Run = Public["schemas"]["InferenceRunResponse"];
export type RunRequest = Public["schemas"]["InferenceRunRequest"];
export type ExplainedPassage = Panel["schemas"]["PanelSearchAnswer"]["chunks"][number];
export type SourceFile = Panel["schemas"]["SourceFile"];
export type EvaluationRun = Panel["schemas"]["EvaluationRun"];
export type RunSummary = NonNullable<Panel["schemas"]["RunSummary"]>;
export type Comparison = Panel["schemas"]["RunComparison"];

/** The public API with a token. `reader`: the person that the calls are made for. */
export function publicApi(
  baseUrl: string,
  token: string,
  options: { credential?: string; reader?: string | undefined } = {},
) {
  const { credential = "QUARRY_TOKEN", reader } = options;
  const readerHeader = reader === undefined ? {} : { "Quarry-Reader": encodeURIComponent(reader) };
  const headers = { Authorization: `Bearer ${token}`, ...readerHeader };
  const fetch = patientFetch({ baseUrl, credential });
  return createClient<PublicPaths>({ baseUrl, headers, fetch, redirect: "manual" });
}
export type PublicApi = ReturnType<typeof publicApi>;

export function panelApi(baseUrl: string, key: string, credential = "QUARRY_KEY") {
  return panelClient({ baseUrl, credential }, { Authorization: `Bearer ${key}` });
}
export type PanelApi = ReturnType<typeof panelApi>;

/**
 * The panel's API with a session. `origin`: of `PUBLIC_BASE_URL` where that is set; the session
 * cookie is accepted only with the service's own origin.
 * @throws ApiError 401 for another password
 */
export async function signIn(baseUrl: string, email: string, password: string, origin = baseUrl) {
  const target = { baseUrl, credential: `the sign-in ${email}` };
  const body = { email, password };
  const { response } = await panelClient(target, { Origin: origin }).POST("/session", { body });
  const [cookie = ""] = response.headers.getSetCookie();
  return panelClient(target, { Origin: origin, Cookie: cookie.split(";")[0] ?? "" });
}

/** `repeating`: the `fetch` of calls that change nothing when they are repeated. */
function panelClient(target: ApiTarget, headers: Record<string, string>) {
  const client = createClient<PanelPaths>({
    baseUrl: `${target.baseUrl}/panel/api`,
    headers,
    fetch: patientFetch(target),
    redirect: "manual",
    pathSerializer: fillPath,
  });
  return { ...client, repeating: patientFetch(target, true) };
}

/** A file's path keeps its slashes. */
function fillPath(template: string, values: Record<string, unknown>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodePath(String(values[name])));
}

export const encodePath = (path: string) => path.split("/").map(encodeURIComponent).join("/");

/** The answer of a call. @throws what the client's `fetch` throws, which is every failure */
export async function dataOf<Data>(call: Promise<{ data?: Data }>): Promise<NonNullable<Data>> {
  const { data } = await call;
  if (data !== undefined && data !== null) return data;
  throw new CommandFailure("The service sent an empty answer.");
}

/** The answer of a call; null where it ends with this status. */
export async function nullIf<Answer>(status: number, call: Promise<Answer>) {
  try {
    return await call;
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.status === status) return null;
    throw thrown;
  }
}
