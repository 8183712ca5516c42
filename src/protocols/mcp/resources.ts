import { ResourceNotFoundError } from "@modelcontextprotocol/server";
import type {
  ListResourcesResult,
  ReadResourceResult,
  Resource,
} from "@modelcontextprotocol/server";

import { liveRowsOf } from "../../access/readers.ts";
import { QuarryError } from "../../core/errors.ts";
import { readFilesAfter } from "../../db/files/public-files.ts";
import type { FileAddress } from "../file-address.ts";
import { cursorOf, readCursor } from "./cursor.ts";
import { readFileText } from "./file-text.ts";
import { coveredRags, type Session } from "./session.ts";

/* https://modelcontextprotocol.io/specification/2026-07-28/server/resources */

const SCHEME = "quarry://";
const MARKDOWN = "text/markdown";
const PAGE_FILES = 100;
/** RAGs that one page looks through: a token may cover hundreds with a file or two each. */
const PAGE_RAGS = 20;
/** UTF-16 code units of a resource; the tool `fetch` reads what is behind them. */
const RESOURCE_LIMIT = 1_000_000;

export const RESOURCE_TEMPLATE = {
  uriTemplate: `${SCHEME}{rag}/{+path}`,
  name: "file",
  title: "A file of a RAG",
  description: "The text of a file as it was read, as Markdown. Its path is percent-encoded.",
  mimeType: MARKDOWN,
};

export function resourceUri({ rag, path }: FileAddress): string {
  return `${SCHEME}${rag}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

function readUri(uri: string): FileAddress | null {
  const [, rag, path] = /^quarry:\/\/([a-z0-9-]+)\/(.+)$/s.exec(uri) ?? [];
  if (rag === undefined || path === undefined) return null;
  try {
    return { rag, path: decodeURIComponent(path) };
  } catch {
    return null;
  }
}

/** Indexed files by RAG and path, a page at a time. */
export async function listResources(
  session: Session,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const from = cursor === undefined ? { rag: "", path: "" } : readCursor(cursor, ["rag", "path"]);
  const { services } = session;
  const rags = await coveredRags(session);
  const ahead = rags.filter(
    ({ identifier, processedFiles }) => identifier >= from.rag && processedFiles > 0,
  );
  const filter = { status: "indexed", path: null } as const;
  const resources: Resource[] = [];
  for (const rag of ahead.slice(0, PAGE_RAGS)) {
    const { identifier } = rag;
    const after = identifier === from.rag && from.path !== "" ? from.path : null;
    const room = PAGE_FILES - resources.length;
    const rows = liveRowsOf(rag);
    const files = await readFilesAfter(services.reads, rows, filter, after, room);
    for (const { path, name, size, isExcluded } of files) {
      if (isExcluded) continue;
      const uri = resourceUri({ rag: identifier, path });
      const title = `${name} (${rag.name})`;
      resources.push({ uri, name: path, title, mimeType: MARKDOWN, size });
    }
    const last = files.at(-1);
    if (last !== undefined && files.length === room) {
      return { resources, nextCursor: cursorOf({ rag: identifier, path: last.path }) };
    }
  }
  const [next] = ahead.slice(PAGE_RAGS);
  if (next === undefined) return { resources };
  return { resources, nextCursor: cursorOf({ rag: next.identifier, path: "" }) };
}

/** @throws ResourceNotFoundError also for what the token does not cover. */
export async function readResource(session: Session, uri: string): Promise<ReadResourceResult> {
  const address = readUri(uri);
  if (address === null) throw new ResourceNotFoundError(uri);
  try {
    const part = { start: 0, limit: RESOURCE_LIMIT };
    const { text, length, next } = await readFileText(session, address, part);
    const cut = `\n\n[The file goes on: the first ${text.length} of ${length} characters.]`;
    return { contents: [{ uri, mimeType: MARKDOWN, text: next === null ? text : text + cut }] };
  } catch (thrown) {
    const isHidden =
      thrown instanceof QuarryError && ["not-found", "forbidden"].includes(thrown.kind);
    throw isHidden ? new ResourceNotFoundError(uri) : thrown;
  }
}
