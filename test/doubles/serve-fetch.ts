import type { IncomingMessage, ServerResponse } from "node:http";

import { listen } from "./listen.ts";

type Fetch = (address: string, request: RequestInit) => Promise<Response>;

/** A double behind a port on loopback, for clients that bring their own HTTP; `base`: its address. */
export async function serveFetch(fetch: Fetch, base?: string, wantedPort?: number) {
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const controller = new AbortController();
    response.on("close", () => controller.abort());
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
    const body = Buffer.concat(await request.toArray());
    const reply = await fetch(`${base ?? address}${request.url ?? "/"}`, {
      method: request.method ?? "GET",
      headers: new Headers(headers as [string, string][]),
      ...(body.length === 0 ? {} : { body }),
      signal: controller.signal,
    });
    response.writeHead(reply.status, Object.fromEntries(reply.headers));
    // A body that breaks off breaks after what came before it is sent.
    for await (const part of reply.body ?? []) {
      await new Promise((resolve) => response.write(part, resolve));
    }
    response.end();
  }
  const { address, stop } = await listen((request, response) => {
    // A broken answer is a broken connection.
    answer(request, response).catch(() => response.destroy());
  }, wantedPort);
  return { address, stop };
}
