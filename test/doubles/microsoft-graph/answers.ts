import type { Grant } from "./grant.ts";

/** An item of a drive; `seq` is the number of its last change. */
export type Item = {
  id: string;
  name: string;
  kind: "root" | "folder" | "file" | "notebook" | "shortcut";
  parent: string | null;
  content: string;
  mimeType: string;
  owner: string;
  modified: string;
  /** Counts changes of anything, and of the bytes. */
  version: number;
  contentVersion: number;
  deleted: boolean;
  malware: boolean;
  /** Office files of some ages have no hash until they are downloaded. */
  hashed: boolean;
  /** Permissions of its own, which replace those of the folders above; null: inherits. */
  grants: Grant[] | null;
  seq: number;
};

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json; odata.metadata=minimal", ...headers },
  });
}

/** https://learn.microsoft.com/graph/errors */
export function errorAnswer(status: number, code: string, headers: Record<string, string> = {}) {
  const date = new Date(0).toISOString();
  const innerError = { date, "request-id": crypto.randomUUID() };
  return json(
    { error: { code, message: `The request failed: ${code}.`, innerError } },
    status,
    headers,
  );
}

/** Stands for quickXorHash: equal texts, equal sums. */
function hashOf(text: string): string {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (hash * 31 + text.charCodeAt(at)) >>> 0;
  return `${hash.toString(36)}=`;
}

/** Reduces an object to what `$select` names; `id` and annotations are always there. */
export function selected(value: Record<string, unknown>, select: string | null) {
  if (select === null) return value;
  const names = new Set([...select.split(","), "id"]);
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name)));
}

/** https://learn.microsoft.com/graph/api/resources/driveitem */
export function shownItem(driveId: string, item: Item): Record<string, unknown> {
  const { id, name, kind, parent, content, mimeType, owner, modified, version } = item;
  const parentReference = { driveId, driveType: "documentLibrary", ...(parent && { id: parent }) };
  if (item.deleted) {
    const facet = kind === "folder" ? { folder: {} } : { file: {} };
    return { id, parentReference, deleted: { state: "deleted" }, ...facet };
  }
  const facets = {
    root: { root: {}, folder: { childCount: 0 } },
    folder: { folder: { childCount: 0 } },
    file: {
      file: { mimeType, ...(item.hashed ? { hashes: { quickXorHash: hashOf(content) } } : {}) },
    },
    notebook: { package: { type: "oneNote" }, folder: { childCount: 0 } },
    shortcut: { remoteItem: { id: "elsewhere", name } },
  };
  return {
    id,
    name,
    parentReference,
    size: content.length,
    eTag: `"{${id}},${version}"`,
    ...(kind === "file" ? { cTag: `"c:{${id}},${item.contentVersion}"` } : {}),
    webUrl: `https://contoso.sharepoint.example/${encodeURIComponent(name)}?id=${id}`,
    createdBy: { user: { email: owner, displayName: owner.split("@")[0] } },
    lastModifiedDateTime: modified,
    ...facets[kind],
    ...(item.malware ? { malware: { description: "EICAR" } } : {}),
  };
}
