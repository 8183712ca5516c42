import type { Grant } from "./grant.ts";

export type Item = {
  id: string;
  name: string;
  mimeType: string;
  parents: string[];
  trashed: boolean;
  /** Shared with the service account, by itself or by a folder above. */
  shared: boolean;
  content: string;
  modifiedTime: string;
  target?: string;
  owner: string;
  downloadable: boolean;
  /** Permissions of its own. */
  grants: Grant[];
  /** A folder with limited access. */
  limited: boolean;
};

export const NEW_ITEM = {
  trashed: false,
  shared: true,
  limited: false,
  downloadable: true,
  content: "",
  owner: "ann@example.com",
};

export function download(item: Item): Response {
  if (item.mimeType.startsWith("application/vnd.google-apps.")) {
    return errorAnswer(403, "fileNotDownloadable");
  }
  if (!item.downloadable) return errorAnswer(403, "cannotDownloadFile");
  const headers = { "content-type": item.mimeType };
  return new Response(item.content, { headers });
}

const EXPORT_LIMIT_BYTES = 10 * 1_024 * 1_024;

export function exported(item: Item, query: URLSearchParams): Response {
  if (!item.mimeType.startsWith("application/vnd.google-apps.")) {
    return errorAnswer(403, "fileNotExportable");
  }
  if (!item.downloadable) return errorAnswer(403, "cannotExportFile");
  if (item.content.length > EXPORT_LIMIT_BYTES) {
    return errorAnswer(403, "exportSizeLimitExceeded");
  }
  return new Response(item.content, { headers: { "content-type": query.get("mimeType") ?? "" } });
}

/** Stands for MD5: equal texts, equal sums. */
export function hashOf(text: string): string {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (hash * 31 + text.charCodeAt(at)) >>> 0;
  return hash.toString(16).padStart(32, "0");
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json; charset=UTF-8", ...headers },
  });
}

export function errorAnswer(status: number, reason: string, headers: Record<string, string> = {}) {
  const message = `The request failed: ${reason}.`;
  const errors = [{ domain: "global", reason, message }];
  // Reasons of all of Google's services: https://cloud.google.com/apis/design/errors
  const why = /^[A-Z_]+$/.test(reason) ? { details: [{}, { reason }] } : { errors };
  return json({ error: { code: status, message, ...why } }, status, headers);
}
