import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import type { GraphDouble } from "./graph-double.ts";

/** The double behind a port on loopback, its token endpoint and downloads included. */
export async function serveGraph(graph: GraphDouble) {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => {
    server.once("listening", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}`;
  graph.baseUrl = address;
  graph.contentBase = address;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/" } = request;
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
    const body = Buffer.concat(await request.toArray());
    const given = await graph.fetch(`${address}${url}`, {
      method,
      headers: new Headers(headers as [string, string][]),
      ...(body.length === 0 ? {} : { body }),
    });
    response.writeHead(given.status, Object.fromEntries(given.headers));
    response.end(Buffer.from(await given.arrayBuffer()));
  }

  return {
    address,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
