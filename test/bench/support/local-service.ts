/** A local service as a benchmark drives it: signed in over the panel API, fed file by file. */
const UPLOADS_AT_ONCE = 8;
const MADE_UP_WORDS = 20_000;
const WORDS_EACH = 220;
const FOLDERS = 50;

export type PushedText = { path: string; text: string };

export type Send = (
  method: string,
  path: string,
  body?: unknown,
  raw?: string,
) => Promise<Response>;

export async function signIn(url: string): Promise<Send> {
  const credentials = { email: "admin@localhost", password: "quarry" };
  const origin = { Origin: url };
  const session = await fetch(`${url}/panel/api/session`, {
    method: "POST",
    body: JSON.stringify(credentials),
  });
  const cookie = session.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  return async (method, path, body, raw) => {
    const headers = { ...origin, Cookie: cookie, "Content-Type": "text/plain" };
    const text = raw ?? (body === undefined ? null : JSON.stringify(body));
    const init = text === null ? { method, headers } : { method, headers, body: text };
    const response = await fetch(`${url}/panel/api${path}`, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
    return response;
  };
}

/** `count` texts of about 1,500 characters with words of their own. */
export function madeUp(count: number): PushedText[] {
  const word = (seed: number) => (Math.imul(seed, 2_654_435_761) >>> 8).toString(36).slice(0, 6);
  return Array.from({ length: count }, (_, at) => ({
    path: `${at % FOLDERS}/${at}.txt`,
    text: Array.from({ length: WORDS_EACH }, (_, n) =>
      word((at * 31 + n * 7) % MADE_UP_WORDS),
    ).join(" "),
  }));
}

export async function pushAll(send: Send, documents: PushedText[]): Promise<void> {
  const queue = documents.values();
  const worker = async () => {
    for (const { path, text } of queue) {
      await (await send("PUT", `/file-sources/bench/files/${path}`, undefined, text)).text();
    }
  };
  await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, worker));
}

export type Counts = { totalFiles: number; processedFiles: number; numberVectors: number };
