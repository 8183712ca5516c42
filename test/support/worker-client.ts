import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { expect } from "vitest";

import { composeServices } from "../../src/compose.ts";
import { createApp } from "../../src/http/app.ts";
import { panelDocument } from "../../src/panel/api/app.ts";
import { problemsWith, publishedFrom, type Published } from "../contract/published.ts";
import { testedEnv, usesVectorize } from "./tested-adapters.ts";

/** Where the tests pretend that the Worker is served. */
export const ORIGIN = "http://localhost";

let address = 0;

/** A client address of its own for every call, so that no rate window stands in the way. */
export function freshAddress(): string {
  address += 1;
  return `10.${(address >> 16) & 255}.${(address >> 8) & 255}.${address & 255}`;
}

let specification: Promise<Published> | undefined;

/** The document that every answer of a published operation is checked against. */
async function published(): Promise<Published> {
  specification ??= exports.default
    .fetch(new Request(`${ORIGIN}/api/openapi.json`))
    .then(async (response) => publishedFrom(await response.json()));
  return await specification;
}

let panelSpecification: Published | undefined;

/** The document of the panel's API, which lists paths below its own address. */
function panelPublished(): Published {
  panelSpecification ??= publishedFrom(panelDocument(ORIGIN));
  return panelSpecification;
}

const PANEL_API = "/panel/api";

const publicApi = usesVectorize ? createApp(composeServices) : null;

/** The Worker's answer; where the suite runs on other adapters, the public API is served by those. */
async function answerTo(request: Request): Promise<Response> {
  const isPublic = new URL(request.url).pathname.startsWith("/api/");
  if (publicApi === null || !isPublic) return await exports.default.fetch(request);
  const context = createExecutionContext();
  const response = await publicApi.fetch(request, testedEnv, context);
  await waitOnExecutionContext(context);
  return response;
}

export type Call = { status: number; body: unknown; headers: Headers };

/** The status and the error of an answer in one: "404 Not found". */
export const outcomeOf = ({ status, body }: Call) =>
  `${status} ${typeof body === "object" && body !== null && "error" in body ? String(body.error) : ""}`;

export async function call(
  method: string,
  path: string,
  options: { headers?: Record<string, string>; body?: BodyInit | undefined } = {},
): Promise<Call> {
  const request = new Request(`${ORIGIN}${path}`, {
    method,
    headers: { "X-Forwarded-For": freshAddress(), ...options.headers },
    body: options.body ?? null,
    redirect: "manual",
  });
  const response = await answerTo(request);
  const text = await response.text();
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json") === true;
  const body: unknown = isJson && text !== "" ? JSON.parse(text) : text;
  const answer = { status: response.status, body, headers: response.headers };
  if (path.startsWith("/api/")) {
    expect(problemsWith(await published(), { method, path }, answer)).toEqual([]);
  }
  if (path.startsWith(`${PANEL_API}/`) && (isJson || text === "")) {
    const route = { method, path: path.slice(PANEL_API.length) };
    expect(problemsWith(panelPublished(), route, answer)).toEqual([]);
  }
  return answer;
}

/** The panel API with these headers. */
export const panelApi =
  (headers: Record<string, string>) => async (method: string, path: string, body?: unknown) =>
    await call(method, `/panel/api${path}`, {
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });

/** The panel API with an automation key. */
export const withKey = (key: string) => panelApi({ Authorization: `Bearer ${key}` });

const FIRST = { email: "admin@localhost", password: "quarry" };

/** The panel API as a user, by default its first administrator. */
export async function signedIn({ email, password } = FIRST, more: Record<string, string> = {}) {
  const credentials = { email, password };
  const session = await call("POST", "/panel/api/session", {
    headers: more,
    body: JSON.stringify(credentials),
  });
  expect(outcomeOf(session)).toBe("200 ");
  const cookie = session.headers.get("Set-Cookie")?.split(";", 1)[0] ?? "";
  const headers = { Cookie: cookie, Origin: ORIGIN };
  const send = panelApi(headers);
  /** Creates a record, and returns it with its id, key or token. */
  async function create<Shown = { id: string; key: string; token: string }>(
    path: string,
    body: object,
  ) {
    const { status, body: record } = await send("POST", path, body);
    expect({ status, made: record }).toMatchObject({ status: 201 });
    return record as Shown;
  }
  return {
    cookie,
    send,
    create,
    /** A folder, and a RAG of it, named alike. */
    async folderWithRag(name: string) {
      await create("/file-sources", { name, provider: "file_system" });
      await create("/rags", { name, fileSource: name.toLowerCase() });
    },
    put: async (path: string, body: BodyInit, mimeType = "text/markdown", more = {}) =>
      await call("PUT", `/panel/api${path}`, {
        headers: { ...headers, "Content-Type": mimeType, ...more },
        body,
      }),
  };
}

/** The public API with a token. */
export function withToken(token: string) {
  const headers = { Authorization: `Bearer ${token}` };
  return {
    get: async (path: string) => await call("GET", `/api${path}`, { headers }),
    post: async (path: string, body: unknown) =>
      await call("POST", `/api${path}`, { headers, body: JSON.stringify(body) }),
  };
}
