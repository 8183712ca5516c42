import { setTimeout as pause } from "node:timers/promises";

import { multipartBody } from "../../../src/cli/push/upload-files.ts";
import { inBatches } from "../../../src/core/work/batches.ts";
import { inParallel } from "../../../src/core/work/parallel.ts";

/** A local service as a benchmark drives it: signed in over the panel API, fed in batches of files. */
const UPLOADS_AT_ONCE = 4;
const FILES_A_CALL = 250;
const FIRST_FAILURE = 400;
const FILES = "/file-sources/bench/files";
const MADE_UP_WORDS = 20_000;
const WORDS_EACH = 220;
const FOLDERS = 50;

export type PushedText = { path: string; text: string };

export type Send = (
  method: string,
  path: string,
  body?: unknown,
  raw?: { data: Uint8Array<ArrayBuffer>; contentType: string },
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
    const headers = {
      ...origin,
      Cookie: cookie,
      "Content-Type": raw?.contentType ?? "application/json",
    };
    const sent = raw?.data ?? (body === undefined ? null : JSON.stringify(body));
    const init = { method, headers, body: sent };
    const response = await fetch(`${url}/panel/api${path}`, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
    return response;
  };
}

/** `count` texts of about 1,500 characters with words of their own, numbered from `from`. */
export function madeUp(count: number, from = 0): PushedText[] {
  const word = (seed: number) => (Math.imul(seed, 2_654_435_761) >>> 8).toString(36).slice(0, 6);
  return Array.from({ length: count }, (_, nth) => from + nth).map((at) => ({
    path: `${at % FOLDERS}/${at}.txt`,
    text: Array.from({ length: WORDS_EACH }, (_, n) =>
      word((at * 31 + n * 7) % MADE_UP_WORDS),
    ).join(" "),
  }));
}

/** In batches, as `quarry push` sends small files. */
export async function pushAll(send: Send, documents: PushedText[]): Promise<void> {
  await inParallel(inBatches(documents, FILES_A_CALL), UPLOADS_AT_ONCE, async (batch) => {
    const parts = batch.map(({ path, text }) => {
      return {
        path,
        data: new TextEncoder().encode(text),
        headers: { "Content-Type": "text/plain" },
      };
    });
    const answer = await send("POST", FILES, undefined, multipartBody(parts));
    const { files } = (await answer.json()) as { files: { status: number }[] };
    const refused = files.find(({ status }) => status >= FIRST_FAILURE);
    if (refused !== undefined) throw new Error(`a file was refused: ${refused.status}`);
  });
}

const POLL_MS = 250;
const FILL_LIMIT_MS = 900_000;

/** RAGs of these names over one source with all documents, a token for them, and passages each. */
export async function fillRags(
  url: URL,
  documents: PushedText[],
  rags = ["bench"],
): Promise<{ token: string; count: number }> {
  const send = await signIn(url.origin);
  await send("POST", "/file-sources", { name: "bench", provider: "file_system" });
  for (const name of rags) await send("POST", "/rags", { name, fileSource: "bench" });
  const groups = { agents: [], inferences: [], rags };
  const made = await send("POST", "/tokens", { name: "bench", ...groups });
  const { token } = (await made.json()) as { token: string };
  await pushAll(send, documents);
  const giveUpAt = Date.now() + FILL_LIMIT_MS;
  for (;;) {
    const counts: Counts[] = [];
    for (const rag of rags) {
      counts.push((await (await send("GET", `/rags/${rag}`)).json()) as Counts);
    }
    const open = counts.find(({ processedFiles }) => processedFiles < documents.length);
    if (open === undefined) return { token, count: counts[0]?.numberVectors ?? 0 };
    if (Date.now() > giveUpAt) throw new Error(`${open.processedFiles} files after the limit`);
    await pause(POLL_MS);
  }
}

export type Counts = { totalFiles: number; processedFiles: number; numberVectors: number };
