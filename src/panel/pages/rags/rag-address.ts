import { findRag } from "../../../catalog/rags/find-rag.ts";
import type { RagRecord } from "../../../db/records.ts";
import type { PageContext } from "../page-env.ts";

/** The RAG that the address names. @throws QuarryError `not-found`. */
export const ragOf = (context: PageContext): Promise<RagRecord> =>
  findRag(context.get("services"), { key: context.req.param("id") ?? "" });

export const ragAddress = (identifier: string) => `/panel/rags/${encodeURIComponent(identifier)}`;

const RAGS = { name: "RAGs", href: "/panel/rags" };

export const trailTo = ({ name, identifier }: RagRecord) => [
  RAGS,
  { name, href: ragAddress(identifier) },
];
