import { z } from "zod";

import { modelKindOf } from "../../core/models/model-kind.ts";
import type { KeyedServer, ServerState } from "../../core/models/model-servers.ts";
import { SECOND_MS } from "../../core/time.ts";
import { bearer, keyedFetch } from "./keyed-fetch.ts";
import { readOwnLists, windowIn, windowOf } from "./model-window.ts";

type Fetch = typeof globalThis.fetch;

/** Whoever opens a form waits for the list. */
const LIST_TIMEOUT_MS = 2 * SECOND_MS;

/** A server without models may send null, and some send the list alone: GitHub Models, Together. */
const listing = z.object({ id: z.string().min(1) });
const modelList = z
  .union([z.array(z.unknown()), z.object({ data: z.array(z.unknown()).nullable() })])
  .transform((body) => (Array.isArray(body) ? body : (body.data ?? [])));

const PROBLEMS: Record<number, string> = {
  401: "needs another key",
  404: "lists no models: its address usually ends in /v1",
  // https://github.com/BerriAI/litellm answers so without its key.
  500: "does not list its models: it may need a key",
  503: "still loads its model",
};

/** Stands for a server of the panel until a call is made. */
export const panelAddress = (name: string) => `http://${name}`;

/** An address that was typed is not left: a redirect is no answer. */
export function serverFetch({ apiKey, setBy }: KeyedServer, fetch: Fetch | undefined): Fetch {
  const send = keyedFetch(fetch, () => Promise.resolve({ Authorization: bearer(apiKey) }));
  const isTyped = setBy === "panel";
  return async (input, init) => await send(input, isTyped ? { ...init, redirect: "manual" } : init);
}

/** Asks a server for its models. */
export async function stateOf(
  server: KeyedServer,
  fetch: Fetch | undefined,
  signal = AbortSignal.timeout(LIST_TIMEOUT_MS),
): Promise<ServerState> {
  const { name, baseUrl, setBy } = server;
  const state = { name, baseUrl, setBy, models: [] };
  const send = serverFetch(server, fetch);
  try {
    const answer = await send(`${baseUrl}/models`, { signal });
    const { status, ok } = answer;
    const body: unknown = await answer.json().catch(() => null);
    const list = modelList.safeParse(body);
    if (!ok || !list.success) {
      const problem = `${PROBLEMS[status] ?? "does not list its models"} (${status})`;
      return { ...state, status, problem };
    }
    const listings = list.data.flatMap((each) => listing.safeParse(each).data ?? []);
    const isTold = listings.every(({ id }) => windowIn([body], id) !== null);
    const lists = isTold ? [] : await Promise.all(readOwnLists({ baseUrl, fetch: send, signal }));
    const models = listings.map(({ id }) => {
      const address = setBy === "panel" ? panelAddress(name) : baseUrl;
      const contextTokens = windowIn([body, ...lists], id) ?? windowOf(address, id)?.tokens ?? null;
      return { model: `${name}/${id}`, kind: modelKindOf(id), contextTokens };
    });
    return { ...state, status, problem: null, models };
  } catch {
    return { ...state, status: null, problem: "does not answer" };
  }
}
