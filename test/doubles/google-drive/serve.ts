import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { BASE, type GoogleDriveDouble } from "./google-drive-double.ts";

/** The double behind a port on loopback, for clients that bring their own HTTP; 0: any port. */
export async function serveDrive(drive: GoogleDriveDouble, wantedPort = 0) {
  const answer = async (address: string, request: IncomingMessage, response: ServerResponse) => {
    const headers = new Headers(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const { method = "GET" } = request;
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = parts.length === 0 ? {} : { body: Buffer.concat(parts) };
    const given = await drive.fetch(address, { method, headers, ...body });
    response.writeHead(given.status, Object.fromEntries(given.headers));
    response.end(Buffer.from(await given.arrayBuffer()));
  };
  const server = createServer((request, response) => {
    void answer(`${BASE}${request.url ?? "/"}`, request, response);
  });
  server.listen(wantedPort, "127.0.0.1");
  await new Promise((resolve) => {
    server.once("listening", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}/`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
