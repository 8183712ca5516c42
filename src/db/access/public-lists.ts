import type { InferenceId } from "../../core/ids.ts";
import type { Reads } from "../client.ts";
import { principalQuery, type Credential, type StoredPrincipal } from "./principal-lookup.ts";
import { flag, id, number, oneOf, row, text, type Row } from "../columns.ts";
import { query, runBatch } from "../raw-sql.ts";

/** A RAG as the list of RAGs shows it. */
type RagItem = {
  id: string;
  name: string;
  identifier: string;
  status: "active" | "paused" | "error";
  totalFiles: number;
  processedFiles: number;
  numberVectors: number;
  fileSource: { id: string; name: string; identifier: string; provider: string };
};

const RAG_ITEM_ROW = row({
  id: text,
  name: text,
  identifier: text,
  status: oneOf(["active", "paused", "error"]),
  totalFiles: number,
  processedFiles: number,
  numberVectors: number,
  sourceId: text,
  sourceName: text,
  sourceIdentifier: text,
  provider: text,
});

const RAG_ITEM = `select r.id, r.name, r.identifier,
    case when r.status = 'active' and s.status = 'error' then 'error' else r.status end as status,
    g.pending_files + g.processing_files + g.indexed_files + g.error_files + r.coming_files
      as totalFiles,
    g.indexed_files as processedFiles, g.number_vectors as numberVectors, s.id as sourceId,
    s.name as sourceName, s.identifier as sourceIdentifier, s.provider`;
const RAG_ITEM_JOIN = `join file_sources s on s.id = r.file_source_id
  join rag_generations g on g.rag_id = r.id and g.generation = r.generation
  where r.removed_at is null`;

/** The caller and the RAGs that the credential covers, by identifier, in one round trip. */
export async function listPublicRags(db: Reads, credential: Credential) {
  const [[principal = null], ...lists] = await runBatch(db, [
    principalQuery(credential),
    ...permitted(credential, {
      select: RAG_ITEM,
      table: "rags r",
      id: "r.id",
      rest: `${RAG_ITEM_JOIN} order by r.identifier`,
      links: "token_rags",
      column: "rag_id",
      flag: "all_rags",
    }).map((sql) => query(RAG_ITEM_ROW, sql, ...parameters(credential))),
  ]);
  return { principal, items: lists.flat().map(ragItemFrom) };
}

function ragItemFrom(row: Row<typeof RAG_ITEM_ROW>): RagItem {
  const { sourceId, sourceName, sourceIdentifier, provider, ...item } = row;
  const fileSource = { id: sourceId, name: sourceName, identifier: sourceIdentifier, provider };
  return { ...item, fileSource };
}

export type ListSql = {
  select: string;
  table: string;
  id: string;
  rest: string;
  links: string;
  column: string;
  flag: string;
};

/**
 * A session sees all; a token sees all by its flag, or what it names. Of the two statements at
 * most one returns rows, so that a token for one RAG does not read the other 500. `cross join`
 * keeps SQLite from reversing the join order.
 */
export function permitted({ kind }: Credential, list: ListSql): string[] {
  const { select, table, id, rest, links, column, flag } = list;
  if (kind === "session") return [`${select} from ${table} ${rest}`];
  const token = "(select * from tokens where hash = ?1)";
  return [
    `${select} from ${token} t cross join ${table} on t.${flag} = 1 ${rest}`,
    `${select} from ${token} t cross join ${links} l on l.token_id = t.id and t.${flag} = 0
       join ${table} on ${id} = l.${column} ${rest}`,
  ];
}

/** D1 refuses a parameter that a statement does not use. */
export const parameters = ({ kind, hash }: Credential) => (kind === "token" ? [hash] : []);

export type LinkedSource = {
  ragIdentifier: string;
  ragName: string;
  identifier: string;
  provider: string;
};

export type InferenceItem = {
  name: string;
  identifier: string;
  createdAt: number;
  nativeRag: boolean;
  fileSources: LinkedSource[];
};

/** Follows `with seen (id) as (…)`; `cross join` starts at `seen`, not at all RAGs. */
const LINKED_SOURCE = `select l.inference_id as inferenceId, r.identifier as ragIdentifier,
    r.name as ragName, s.identifier, s.provider
  from seen cross join inference_rags l on l.inference_id = seen.id
    cross join rags r on r.id = l.rag_id
    cross join file_sources s on s.id = r.file_source_id
  where r.removed_at is null order by r.identifier`;

const LINK_ROW = row({
  inferenceId: id<InferenceId>(),
  ragIdentifier: text,
  ragName: text,
  identifier: text,
  provider: text,
});

const INFERENCE_ROW = row({
  id: id<InferenceId>(),
  name: text,
  identifier: text,
  createdAt: number,
  nativeRag: flag,
});

const INFERENCE_LIST: ListSql = {
  select: "select m.id, m.name, m.identifier, m.created_at as createdAt, m.native_rag as nativeRag",
  table: "inferences m",
  id: "m.id",
  rest: "order by m.identifier",
  links: "token_inferences",
  column: "inference_id",
  flag: "all_inferences",
};

/** The caller and the inferences that the credential covers, by identifier, in one round trip. */
export async function listPublicInferences(
  db: Reads,
  credential: Credential,
): Promise<{ principal: StoredPrincipal | null; items: InferenceItem[] }> {
  const lists = permitted(credential, INFERENCE_LIST);
  const ids = permitted(credential, { ...INFERENCE_LIST, select: "select m.id", rest: "" });
  const [[principal = null], links, ...pages] = await runBatch(db, [
    principalQuery(credential),
    query(
      LINK_ROW,
      `with seen (id) as (${ids.join(" union all ")}) ${LINKED_SOURCE}`,
      ...parameters(credential),
    ),
    ...lists.map((sql) => query(INFERENCE_ROW, sql, ...parameters(credential))),
  ]);
  const linksOf = Map.groupBy(links, (link) => link.inferenceId);
  const items = pages.flat().map(({ id, name, identifier, createdAt, nativeRag }) => {
    const fileSources = (linksOf.get(id) ?? []).map(linkedSourceFrom);
    return { name, identifier, createdAt, nativeRag, fileSources };
  });
  return { principal, items };
}

function linkedSourceFrom({ ragIdentifier, ragName, identifier, provider }: LinkedSource) {
  return { ragIdentifier, ragName, identifier, provider };
}
