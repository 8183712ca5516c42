import { Agent, request } from "node:http";

const OK = 200;

export type Asking = { url: string; headers: Record<string, string>; body: string };
export type Timed = { ms: number[]; callsPerSecond: number; bytes: number };

/** Retrievals of the RAG `bench`; each client has an address, and with it a rate window. */
export const askingOf =
  (service: URL | string, token: string) =>
  (client: number, body: string): Asking => ({
    url: new URL("/api/rags/bench/retrieve", service).href,
    headers: {
      "CF-Connecting-IP": `192.0.2.${client + 1}`,
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
    },
    body,
  });

/**
 * `clients` callers, each on a connection of its own, ask one thing after the other until all of
 * `bodies` are answered. @throws Error for any answer but 200.
 */
export async function timeClients(
  clients: number,
  bodies: string[],
  askingOf: (client: number, body: string) => Asking,
): Promise<Timed> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const waiting = [...bodies];
  const ms: number[] = [];
  let bytes = 0;
  const client = async (number: number) => {
    for (let body = waiting.pop(); body !== undefined; body = waiting.pop()) {
      const start = performance.now();
      const answer = await ask(agent, askingOf(number, body));
      ms.push(performance.now() - start);
      bytes += answer.length;
    }
  };
  const start = performance.now();
  try {
    await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  } finally {
    agent.destroy();
  }
  const seconds = (performance.now() - start) / 1_000;
  ms.sort((a, b) => a - b);
  return { ms, callsPerSecond: bodies.length / seconds, bytes: Math.round(bytes / bodies.length) };
}

function ask(agent: Agent, { url, headers, body }: Asking): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const length = { "Content-Length": String(Buffer.byteLength(body)) };
    const sent = request(url, { agent, method: "POST", headers: { ...headers, ...length } });
    sent.on("error", reject);
    sent.on("response", (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", reject);
      response.on("end", () => {
        const answer = Buffer.concat(parts);
        if (response.statusCode === OK) resolve(answer);
        else reject(new Error(`${url}: ${response.statusCode} ${answer.toString()}`));
      });
    });
    sent.end(body);
  });
}
