import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** A server on loopback at a port, any port unless given. Its end is the end of its connections. */
export async function listen(answer: RequestListener, wantedPort = 0) {
  const server = createServer(answer).listen(wantedPort, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { server, port, address: `http://127.0.0.1:${port}`, stop };
}
