import { z } from "zod";

import { CommandFailure } from "../failure.ts";
import { chunk, retrieval } from "./public-api.ts";
import type { RetrievalRequest } from "./public-api.ts";
import { ApiError, send, sendForJson } from "./send.ts";
import { multipartBody } from "./multipart-body.ts";
import type { BatchPart } from "./multipart-body.ts";
import type { ApiTarget } from "./send.ts";

const NOT_FOUND = 404;
const legRank = z.object({ rank: z.number(), score: z.number() }).nullable();
const explanation = z.looseObject({
  queries: z.array(z.looseObject({ lexical: legRank, vector: legRank })),
  fusedRank: z.number(),
  wordsRank: z.number().nullish(),
  relevance: z.number().nullable(),
});
const explained = retrieval.extend({
  chunks: z.array(chunk.extend({ explanation: explanation.optional() })),
});
const anything = z.looseObject({});
const manifestPage = z.object({
  files: z.array(z.object({ path: z.string(), size: z.number(), sha256: z.string() })),
  cursor: z.string().nullable(),
});
const stored = z.looseObject({ changed: z.boolean() });
const storedFiles = z.looseObject({
  files: z.array(z.looseObject({ status: z.number(), error: z.string().optional() })),
});
const ragCounts = z.looseObject({
  totalFiles: z.number(),
  processedFiles: z.number(),
  numberVectors: z.number(),
});
const sourceFile = z.looseObject({ filePath: z.string(), errorMessage: z.string().nullish() });
const sourceFiles = z.looseObject({ data: z.array(sourceFile), total: z.number() });

export type ManifestEntry = z.infer<typeof manifestPage>["files"][number];
export type Explanation = z.infer<typeof explanation>;
export type SourceFile = z.infer<typeof sourceFile>;
export type Kind = "file-sources" | "rags" | "inferences" | "agents";

const segment = encodeURIComponent;
const pathSegments = (path: string) => path.split("/").map(segment).join("/");

/** The panel's API with an automation key. */
export function panelApi(baseUrl: string, key: string, credential = "QUARRY_KEY") {
  return panelApiWith({ baseUrl, headers: { Authorization: `Bearer ${key}` }, credential });
}

/**
 * The panel's API with a session. `origin`: of `PUBLIC_BASE_URL` where that is set; the session
 * cookie is accepted only with the service's own origin.
 * @throws ApiError 401 when the local sign-in is not the expected one.
 */
export async function signIn(baseUrl: string, email: string, password: string, origin = baseUrl) {
  const headers: Record<string, string> = { Origin: origin };
  const target: ApiTarget = { baseUrl, headers, credential: `the sign-in ${email}` };
  const json = { email, password };
  const response = await send(target, { method: "POST", path: "/panel/api/session", json });
  const [cookie] = response.headers.getSetCookie();
  if (cookie === undefined)
    throw new CommandFailure(`${baseUrl} sent no session cookie at sign-in`);
  headers["Cookie"] = cookie.split(";")[0] ?? "";
  return panelApiWith(target);
}

function panelApiWith(target: ApiTarget) {
  const sourceOf = (id: string) => `/panel/api/file-sources/${segment(id)}`;
  const what = (id: string) => `file source ${id}`;
  return {
    ...fileCalls(target, sourceOf, what),
    ...resourceCalls(target),

    /** Whether the panel's API accepts the credentials. */
    works: () => succeeds(send(target, { path: "/panel/api/rags?limit=1" }), 401),

    /** Changes the signed-in user's own password. */
    changePassword: async (currentPassword: string, newPassword: string) => {
      const json = { currentPassword, newPassword };
      await send(target, { method: "PATCH", path: "/panel/api/session/password", json });
    },

    createKey: async (name: string) => {
      const json = { name, role: "admin" };
      const request = { method: "POST", path: "/panel/api/keys", json } as const;
      return (await sendForJson(target, request, z.looseObject({ key: z.string() }))).key;
    },

    createToken: async (name: string) => {
      const json = { name, agents: ["*"], inferences: ["*"], rags: ["*"] };
      const request = { method: "POST", path: "/panel/api/tokens", json } as const;
      return (await sendForJson(target, request, z.looseObject({ token: z.string() }))).token;
    },
  };
}

export type PanelApi = ReturnType<typeof panelApiWith>;

function fileCalls(
  target: ApiTarget,
  sourceOf: (id: string) => string,
  what: (id: string) => string,
) {
  return {
    /** The files of a source, by path. */
    manifest: async (id: string): Promise<Map<string, ManifestEntry>> => {
      const known = new Map<string, ManifestEntry>();
      let cursor: string | null = null;
      do {
        const query: string = cursor === null ? "" : `?cursor=${segment(cursor)}`;
        const request = { path: `${sourceOf(id)}/manifest${query}`, what: what(id) };
        const page: z.infer<typeof manifestPage> = await sendForJson(target, request, manifestPage);
        for (const file of page.files) known.set(file.path, file);
        ({ cursor } = page);
      } while (cursor !== null);
      return known;
    },

    putFile: (id: string, file: string, data: Uint8Array<ArrayBuffer>, contentType: string) => {
      const path = `${sourceOf(id)}/files/${pathSegments(file)}`;
      const bytes = { data, contentType };
      return sendForJson(target, { method: "PUT", path, bytes, what: file }, stored);
    },

    /** Many small files in one call; the answers are in their order. */
    putFiles: async (id: string, files: BatchPart[]) => {
      const parts = files.map((file) => ({ ...file, path: pathSegments(file.path) }));
      const path = `${sourceOf(id)}/files`;
      const bytes = multipartBody(parts);
      const request = { method: "POST", path, bytes, mayRepeat: true, what: what(id) } as const;
      return (await sendForJson(target, request, storedFiles)).files;
    },

    /** A file that no longer exists counts as removed. */
    removeFile: (id: string, file: string) => {
      const path = `${sourceOf(id)}/files/${pathSegments(file)}`;
      return succeeds(send(target, { method: "DELETE", path, what: file }), NOT_FOUND);
    },

    /** One page of a source's files with a status, and how many there are. */
    filesWithStatus: (id: string, status: string, limit: number) => {
      const query = new URLSearchParams({ status, limit: String(limit) });
      return sendForJson(
        target,
        { path: `${sourceOf(id)}/files?${query.toString()}` },
        sourceFiles,
      );
    },
  };
}

function resourceCalls(target: ApiTarget) {
  const find = async (kind: Kind, id: string): Promise<Record<string, unknown> | null> => {
    try {
      return await sendForJson(target, { path: `/panel/api/${kind}/${segment(id)}` }, anything);
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.status === NOT_FOUND) return null;
      throw thrown;
    }
  };
  return {
    find,
    create: (kind: Kind, json: Record<string, unknown>) =>
      sendForJson(target, { method: "POST", path: `/panel/api/${kind}`, json }, anything),
    change: (kind: Kind, id: string, json: Record<string, unknown>) => {
      const path = `/panel/api/${kind}/${segment(id)}`;
      return sendForJson(target, { method: "PATCH", path, json }, anything);
    },
    /** A search that administrators get explained. */
    search: (id: string, json: RetrievalRequest) => {
      const path = `/panel/api/rags/${segment(id)}/search`;
      return sendForJson(target, { method: "POST", path, json, what: `RAG ${id}` }, explained);
    },
    ragCounts: (id: string) =>
      sendForJson(target, { path: `/panel/api/rags/${segment(id)}` }, ragCounts),
  };
}

/** Whether it succeeds; false for the one expected error status. */
async function succeeds(call: Promise<unknown>, unless: number): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.status === unless) return false;
    throw thrown;
  }
}
