import { strict as assert } from "node:assert";

import { problemsWith, type Published } from "./published.ts";

/** Sends a request to the service: `fetch`, or the Worker's own in its tests. */
export type Send = (request: Request) => Promise<Response>;

export type Call = {
  method: string;
  path: string;
  token?: string | undefined;
  cookie?: string | undefined;
  /** Sent as JSON. */
  json?: unknown;
  body?: BodyInit | undefined;
  headers?: Record<string, string> | undefined;
  /** The client's address; without one it changes often enough, where the service lets us say so. */
  address?: string | undefined;
  /** A refused rate window is the answer, and not a reason to wait. */
  impatient?: boolean | undefined;
};

export type Answer = { status: number; headers: Headers; text: string; body: unknown };

export type Client = {
  baseUrl: string;
  /** Whether the service believes our X-Forwarded-For. */
  choosesAddress: boolean;
  call: (call: Call) => Promise<Answer>;
  /** The document that answers are checked against; null until it is read. */
  published: Published | null;
};

const SECOND_MS = 1_000;
const PATIENCE = 5;
/** Below the smallest budget of a rate window that answers are asked of (sign-in: 10). */
const CALLS_AN_ADDRESS = 8;

export function clientOf(baseUrl: string, send: Send, choosesAddress: boolean): Client {
  let calls = 0;
  const ownAddress = () => {
    calls += 1;
    const address = Math.floor(calls / CALLS_AN_ADDRESS);
    return `10.${(address >> 16) & 255}.${(address >> 8) & 255}.${address & 255}`;
  };

  async function once(call: Call): Promise<Answer> {
    const headers = new Headers(call.headers);
    if (choosesAddress) headers.set("X-Forwarded-For", call.address ?? ownAddress());
    if (call.token !== undefined) headers.set("Authorization", `Bearer ${call.token}`);
    if (call.cookie !== undefined) headers.set("Cookie", call.cookie);
    if (call.json !== undefined) headers.set("Content-Type", "application/json");
    const body = call.json === undefined ? call.body : JSON.stringify(call.json);
    const init = { method: call.method, headers, body: body ?? null, redirect: "manual" } as const;
    const response = await send(new Request(`${baseUrl}${call.path}`, init));
    const text = await response.text();
    const isJson = response.headers.get("Content-Type")?.includes("json") === true && text !== "";
    const answered: unknown = isJson ? JSON.parse(text) : null;
    return { status: response.status, headers: response.headers, text, body: answered };
  }

  const client: Client = {
    baseUrl,
    choosesAddress,
    published: null,
    call: async (call) => {
      for (let tries = 1; ; tries++) {
        const answer = await once(call);
        if (answer.status === 429 && call.impatient !== true && tries < PATIENCE) {
          await waitMs(Number(answer.headers.get("Retry-After") ?? 1) * SECOND_MS);
          continue;
        }
        if (client.published !== null) {
          const problems = problemsWith(client.published, call, answer);
          assert.deepEqual(problems, [], `${call.method} ${call.path}: not as published`);
        }
        return answer;
      }
    },
  };
  return client;
}

export const waitMs = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
