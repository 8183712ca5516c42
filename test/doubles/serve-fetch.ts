import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Fetch = (address: string, request: RequestInit) => Promise<Response>;

/** A double behind a port on loopback, for clients that bring their own HTTP; 0: any port. */
export async function serveFetch(fetch: Fetch, base?: string, wantedPort = 0) {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(wantedPort, "127.0.0.1");
  await new Promise((resolve) => {
    server.once("listening", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/" } = request;
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
    const body = Buffer.concat(await request.toArray());
    const given = await fetch(`${base ?? address}${url}`, {
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
