import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import type { OpenAiDouble } from "./openai-double.ts";

/** Puts the double on a loopback port; `baseUrl` ends in /v1. */
export async function serveOpenAi(
  double: OpenAiDouble,
  port = 0,
): Promise<{ baseUrl: string; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    void answer(double, request, response);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function answer(
  double: OpenAiDouble,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  try {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
    const reply = await double.fetch(`http://double${request.url ?? "/"}`, {
      method: request.method ?? "POST",
      headers: Object.fromEntries(headers) as Record<string, string>,
      body: Buffer.concat(parts).toString("utf8"),
      signal: gone.signal,
    });
    response.writeHead(reply.status, Object.fromEntries(reply.headers));
    for await (const part of reply.body ?? []) response.write(part);
    response.end();
  } catch {
    // A broken answer is a broken connection.
    response.destroy();
  }
}
