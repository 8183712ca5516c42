import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { BASE, type GoogleDriveDouble } from "./google-drive-double.ts";

/** The double behind a port on loopback, for clients that bring their own HTTP. */
export async function serveDrive(drive: GoogleDriveDouble) {
  const answer = async (address: string, headers: Headers, response: ServerResponse) => {
    const given = await drive.fetch(address, { headers });
    response.writeHead(given.status, Object.fromEntries(given.headers));
    response.end(Buffer.from(await given.arrayBuffer()));
  };
  const server = createServer((request, response) => {
    const headers = new Headers(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    void answer(`${BASE}${request.url ?? "/"}`, headers, response);
  });
  server.listen(0, "127.0.0.1");
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
