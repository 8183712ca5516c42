import { exports } from "cloudflare:workers";
import { expect } from "vitest";

import { call, freshAddress, ORIGIN, signedIn } from "../../support/worker-client.ts";

/** Session of the file that signed in last: files share this module, but not the database. */
export let admin: Awaited<ReturnType<typeof signedIn>>;
export const beginAsAdmin = async () => void (admin = await signedIn());
const headers = () => ({
  Cookie: admin.cookie,
  Origin: ORIGIN,
  "X-Forwarded-For": freshAddress(),
});

export type Imported = {
  id: string;
  state: string;
  files: number;
  passages: number;
  embedderCalls: number;
  things: { thing: string; outcome: string; as?: string }[];
};

export async function exported(query: string): Promise<Uint8Array<ArrayBuffer>> {
  const address = `${ORIGIN}/panel/api/archive?${query}`;
  const response = await exports.default.fetch(new Request(address, { headers: headers() }));
  expect(response.status).toBe(200);
  return new Uint8Array(await response.arrayBuffer());
}

export const send = async (bytes: Uint8Array<ArrayBuffer>, query = "") =>
  await call("POST", `/panel/api/archive?${query}`, {
    headers: { ...headers(), "Content-Type": "application/zip" },
    body: bytes,
  });

export const sendPiece = async (piece: string, body: Uint8Array<ArrayBuffer>) =>
  await call("PUT", `/panel/api/archive/uploads/${piece}`, {
    headers: {
      ...headers(),
      "Content-Type": "application/octet-stream",
      "Content-Length": String(body.length),
    },
    body,
  });

export async function imported(bytes: Uint8Array<ArrayBuffer>, query = ""): Promise<Imported> {
  let { status, body } = await send(bytes, query);
  while (status === 202) {
    const { id } = body as Imported;
    ({ status, body } = await admin.send("POST", `/archive/uploads/${id}/complete?${query}`));
  }
  expect({ status, body }).toMatchObject({ status: 200, body: { state: expect.any(String) } });
  return body as Imported;
}

type Page = { data: Record<string, unknown>[]; total: number };

async function listAll(path: string): Promise<Record<string, unknown>[]> {
  const { body } = await admin.send("GET", path);
  return (body as Page).data;
}

/** Every read of a source and its RAGs, without ids and without times of the import. */
export async function readService(source: string, rags: string[], questions: string[]) {
  const all = await listAll(`/file-sources/${source}/files?limit=100`);
  const files = all.filter(({ status }) => status !== "deleted");
  const details = [];
  for (const { filePath } of files) {
    const path = encodeURIComponent(String(filePath)).replaceAll("%2F", "/");
    const detail = await admin.send("GET", `/file-sources/${source}/files/${path}`);
    const text = await admin.send("GET", `/file-sources/${source}/text/${path}`);
    const readers = await admin.send("GET", `/file-sources/${source}/files/${path}/readers`);
    const passages = [];
    for (const rag of rags) {
      passages.push(
        (
          await admin.send(
            "GET",
            `/rags/${rag}/passages?path=${encodeURIComponent(String(filePath))}`,
          )
        ).body,
      );
    }
    details.push({ detail: detail.body, text: text.body, readers: readers.body, passages });
  }
  const answers = [];
  for (const rag of rags) {
    for (const question of questions) {
      const body = { semanticSearch: [question], topK: 20, includeSources: true };
      const answer = await admin.send("POST", `/rags/${rag}/search`, body);
      answers.push((answer.body as { chunks: unknown[] }).chunks ?? answer);
    }
  }
  const exclusions = await listAll(`/file-sources/${source}/exclusions`);
  return { files, details, answers, exclusions };
}
