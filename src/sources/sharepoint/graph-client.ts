import { z } from "zod";

import { ApiClient, type Api, type ApiError, type Connection } from "../api-client.ts";

/** https://learn.microsoft.com/graph/use-the-api */
export const API_BASE_URL = "https://graph.microsoft.com";
/** 500 items with long names and addresses. */
const ANSWER_LIMIT_BYTES = 16 * 1_024 * 1_024;
/** SharePoint asks for this form, and throttles undecorated traffic first. */
const USER_AGENT = "NONISV|Quarry|Quarry/1.0";

type Graph = {
  /** Without a trailing slash. */
  apiBaseUrl: string;
  /** The remedy when Graph refuses access. */
  remedy: string;
};

/** Graph v1.0; `prefer` is sent with each call. */
export function graphApi(connection: Connection, graph: Graph, prefer?: string): Api {
  const provider = {
    name: "SharePoint",
    baseUrl: `${graph.apiBaseUrl}/v1.0`,
    answerLimitBytes: ANSWER_LIMIT_BYTES,
    headers: { "user-agent": USER_AGENT, ...(prefer === undefined ? {} : { prefer }) },
    codeIn,
    isThrottle,
    remedyFor: (error: ApiError) => graphRemedy(error, graph.remedy),
  };
  return (signal) => new ApiClient(provider, connection, signal);
}

/** A page of a listing. */
export const pageOf = <Item>(item: z.ZodType<Item>) =>
  z
    .object({ value: z.array(item), "@odata.nextLink": z.string().nullable().default(null) })
    .transform(({ value: items, "@odata.nextLink": next }) => ({ items, next }));

/*
 * https://learn.microsoft.com/graph/errors
 * https://learn.microsoft.com/sharepoint/dev/general-development/how-to-avoid-getting-throttled-or-blocked-in-sharepoint-online
 */
const MAX_CODE_LENGTH = 60;
const errorBody = z.object({ error: z.object({ code: z.string().optional() }) });

/** The code of an error answer. A code is a word; anything else that stands there is not repeated. */
function codeIn(body: unknown): string {
  const code = errorBody.safeParse(body).data?.error.code ?? "";
  return /^[\w.]+$/.test(code) ? code.slice(0, MAX_CODE_LENGTH) : "";
}

/** SharePoint asks to wait with both, and counts what comes before the time it names. */
export const isThrottle = ({ status, code }: ApiError) =>
  status === 503 || code === "activityLimitReached";

/** `remedy`: what to do when access is refused. */
export function graphRemedy({ status }: ApiError, remedy: string): string | undefined {
  if (status === 401)
    return "the app may not use SharePoint: add the application permission Sites.Selected and grant admin consent";
  if (status === 423) return "the site is locked";
  if (status === 400 || status === 501) return "Graph does not serve this library or call";
  return status === 403 || status === 404 ? remedy : undefined;
}
