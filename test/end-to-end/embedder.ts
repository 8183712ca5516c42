import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const DIMENSIONS = 16;

/** A model on this machine; a request with texts on which it hangs is never answered. */
export async function startEmbedder(hangsOn: (texts: string[]) => boolean) {
  let struck = () => undefined as void;
  const server = createServer((request, response) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const { input } = JSON.parse(Buffer.concat(parts).toString()) as { input: string[] };
      if (hangsOn(input)) return struck();
      const data = input.map((text, index) => {
        const embedding = Array.from({ length: DIMENSIONS }, (_, at) => text.length + at);
        return { object: "embedding", index, embedding };
      });
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ object: "list", data, model: "m" }));
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    /** What a service needs that embeds with it. */
    variables: [
      "OPENAI_COMPATIBLE_API_KEY:none",
      `OPENAI_COMPATIBLE_BASE_URL:http://127.0.0.1:${port}/v1`,
      "EMBEDDING_MODEL:local/letters",
      `EMBEDDING_DIMENSIONS:${DIMENSIONS}`,
    ],
    /** Settles when it hangs the next time. */
    strike: () => new Promise<"struck">((resolve) => (struck = () => resolve("struck"))),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
