import { forbidden, invalid, QuarryError } from "../core/errors.ts";
import { isAddress, NAMED, principalsOf, userPrincipal, addDefaults } from "../core/principals.ts";
import type { Reader } from "../core/principals.ts";
import { readerFacts } from "../db/access/member-store.ts";
import type { StoredPrincipal } from "../db/access/principal-lookup.ts";
import { countReadable, type LiveRows } from "../db/files/public-files.ts";
import type { ListedRag, RagRecord } from "../db/records.ts";
import type { Reads } from "../db/sql.ts";
import type { Restriction } from "../ports/rag-index.ts";
import type { PanelCaller } from "./sessions/find-panel-caller.ts";

/**
 * For whom a call reads. `reader`: as the token has it, or the address of a member's session;
 * `groups`: of that person; `header` and `groupsHeader`: as the call names them.
 */
export type Reading =
  | "everything"
  | {
      reader: string | null;
      groups: string[];
      header: string | null;
      groupsHeader: string | null;
    };

const READER_HEADER = "Quarry-Reader";
const GROUPS_HEADER = "Quarry-Groups";
/** Characters of both headers, as they are sent. */
const MAX_HEADERS_LENGTH = 16 * 1_024;
const GROUPS_LIMIT = 1_000;

/** Headers name a person and groups without what a principal begins with. */
const IS_PRINCIPAL = /^(?:user|group|domain):/i;

/** Where a call must name its reader: by itself, or with another token. */
const UNREAD = {
  unnamed: `name the reader in ${READER_HEADER}`,
  readerless: `this token has no reader, and may not name one in ${READER_HEADER}: create a token with a reader`,
};

export function readingOf(
  principal: Pick<StoredPrincipal & { kind: "token" }, "reader" | "readerGroups">,
  headers: Headers,
): Reading {
  const { reader, readerGroups: groups } = principal;
  // Proxies and programs send an empty header for "no groups".
  const groupsHeader = headers.get(GROUPS_HEADER) || null;
  return { reader, groups, header: headers.get(READER_HEADER), groupsHeader };
}

/** Headers in which a program names a reader. */
export function readerHeaders(person: { reader?: string | undefined; groups: string[] }) {
  if (person.reader === undefined) return {};
  const [reader, ...groups] = [person.reader, ...person.groups].map((name) =>
    encodeURIComponent(name).replaceAll("%40", "@"),
  );
  return {
    [READER_HEADER]: reader ?? "",
    ...(groups.length > 0 && { [GROUPS_HEADER]: groups.join(", ") }),
  };
}

const namesReader = (headers: Headers) => headers.has(READER_HEADER) || headers.has(GROUPS_HEADER);

/** Where these headers have no effect. @throws QuarryError `invalid` for a call that has one */
export function refuseReader(headers: Headers): void {
  if (namesReader(headers)) {
    throw invalid(`${READER_HEADER} and ${GROUPS_HEADER} are not read here: a search takes reader`);
  }
}

/** A member reads as itself; an administrator everything, unless the call names a reader. */
export function sessionReading(
  { role, email, groups }: { role: "admin" | "member"; email: string; groups: string[] },
  headers: Headers,
): Reading {
  if (role === "member") return readingOf({ reader: email, readerGroups: groups }, headers);
  if (!namesReader(headers)) return "everything";
  return readingOf({ reader: NAMED, readerGroups: [] }, headers);
}

/** `as`: whom an administrator names. Keys read everything. @throws QuarryError `forbidden` */
export function readingInPanel(caller: PanelCaller, as: Reader | null): Reading {
  if (as !== null && caller.role !== "admin") throw forbidden();
  if (as !== null) return { reader: as.user, groups: as.groups, header: null, groupsHeader: null };
  return caller.kind === "key" ? "everything" : sessionReading(caller.session, new Headers());
}

/**
 * The person that a call reads for; null: nobody is named.
 * @throws QuarryError `invalid`, or `forbidden` where the call may not name whom it names
 */
function readerIn({ reader, groups, header, groupsHeader }: Exclude<Reading, "everything">) {
  const length = `${header ?? ""}${groupsHeader ?? ""}`.length;
  if (length > MAX_HEADERS_LENGTH) {
    throw invalid(`${READER_HEADER} and ${GROUPS_HEADER} must have at most 16 KiB together`);
  }
  const user = header === null ? null : addressIn(header);
  if (reader === NAMED) return namedReader(user, groupsHeader);
  const isAnother = user !== null && userPrincipal(user) !== userPrincipal(reader ?? "");
  if (isAnother || groupsHeader !== null) {
    const who = reader === null ? "has no reader, and" : "reads as one person, and";
    const problem = `this caller ${who} may not name a reader in ${READER_HEADER} or ${GROUPS_HEADER}`;
    throw new QuarryError("forbidden", `Forbidden: ${problem}`);
  }
  return reader === null ? null : { user: reader, groups };
}

const namedReader = (user: string | null, groupsHeader: string | null): Reader | null =>
  user === null ? null : { user, groups: groupsIn(groupsHeader) };

function addressIn(header: string): string {
  const address = decodeHeader(READER_HEADER, header);
  if (isAddress(address)) return address;
  throw invalid(`${READER_HEADER} must be a person's address`);
}

function decodeHeader(name: string, value: string): string {
  try {
    return decodeURIComponent(value).trim();
  } catch {
    throw invalid(`${name} must be percent-encoded UTF-8`);
  }
}

function groupsIn(header: string | null): string[] {
  const groups = (header ?? "").split(",").map((group) => decodeHeader(GROUPS_HEADER, group));
  const groupNames = groups.filter((group) => group !== "");
  if (groupNames.some((group) => IS_PRINCIPAL.test(group))) {
    throw invalid(`${GROUPS_HEADER} must be groups' names without group:`);
  }
  if (groupNames.length > GROUPS_LIMIT) {
    throw invalid(`${GROUPS_HEADER} must have at most ${GROUPS_LIMIT} groups`);
  }
  return groupNames;
}

/** The person of a token or session that may name no other; null: it may, or has none. */
const ownReader = (reading: Reading): string | null =>
  reading === "everything" || reading.reader === NAMED ? null : reading.reader;

/**
 * The RAGs as a call may read them; those of sources without permissions as they are. Groups that
 * a source names count for its own files only.
 * @throws QuarryError `invalid`; `forbidden`, also without permissions, where a person names another
 */
export async function resolveReaders<Rag extends Readable>(
  db: Reads,
  reading: Reading,
  rags: Rag[],
): Promise<Rag[]> {
  if (ownReader(reading) !== null) readerName(reading);
  if (rags.every(({ readersSince }) => readersSince === null)) return rags;
  if (reading === "everything") return rags.map((rag) => ({ ...rag, readBy: "everything" }));
  const reader = readerIn(reading);
  const unread = reading.reader === NAMED ? "unnamed" : "readerless";
  if (reader === null) return rags.map((rag) => ({ ...rag, readBy: unread }));
  const permitted = rags.filter(({ readersSince }) => readersSince !== null);
  const sources = [...new Set(permitted.map(({ fileSource }) => fileSource.id))];
  const own = principalsOf(reader);
  const { groups, untold, defaults } = await readerFacts(db, sources, own);
  return rags.map((rag) => {
    const { id } = rag.fileSource;
    const all = [...new Set([...own, ...(groups.get(id) ?? [])])];
    return { ...rag, readBy: { principals: addDefaults(all, defaults.get(id) ?? []), untold } };
  });
}

/** The fields that decide which files of a RAG a call reads. */
type Readable = Pick<RagRecord, "id" | "generation" | "fileSource" | "readersSince" | "readBy">;

/** The live rows of a RAG that a call may read. @throws QuarryError `invalid` */
export const liveRowsOf = (rag: Omit<Readable, "fileSource">): LiveRows => {
  return { ragId: rag.id, generation: rag.generation, readers: readersOf(rag) };
};

type Counts = Partial<
  Pick<ListedRag, "totalFiles" | "processedFiles" | "numberVectors" | "fileCounts">
>;

/** Counts only what the named reader may read; a RAG without a named reader stays as it is. */
export async function recountRag<Rag extends Readable & Counts>(db: Reads, rag: Rag): Promise<Rag> {
  const { readersSince, readBy } = rag;
  if (readersSince === null || typeof readBy === "string") return rag;
  const { fileCounts, numberVectors } = await countReadable(db, liveRowsOf(rag));
  const { pending, processing, indexed, error } = fileCounts;
  const totalFiles = pending + processing + indexed + error;
  return { ...rag, fileCounts, totalFiles, processedFiles: indexed, numberVectors };
}

/** Scopes name files: a call for a reader learns nothing of them; others only if they change them. */
export const maySeeScopes = (
  { readersSince, readBy }: Pick<Readable, "readersSince" | "readBy">,
  mayChange: boolean,
): boolean =>
  readersSince === null || readBy === "everything" || (typeof readBy === "string" && mayChange);

/**
 * The files of a RAG that a call may find; undefined: all of them. Nobody may read where nobody said
 * for whom a RAG is read.
 * @throws QuarryError `invalid` where the call must name its reader
 */
export function readersOf({
  readersSince: since,
  readBy,
}: Pick<Readable, "readersSince" | "readBy">): Restriction["readers"] {
  if (since === null || readBy === "everything") return undefined;
  if (typeof readBy === "string") throw invalid(UNREAD[readBy]);
  return { since, ...(readBy ?? { principals: [] }) };
}

/** The RAGs as a call may read them, each with the counts for its reader. */
export async function recountRags<Rag extends Readable & Counts>(
  db: Reads,
  reading: Reading,
  rags: Rag[],
): Promise<Rag[]> {
  return await Promise.all(
    (await resolveReaders(db, reading, rags)).map((rag) => recountRag(db, rag)),
  );
}

/** The person for the log; null where the call reads everything, or nobody is named. */
export function readerName(reading: Reading): string | null {
  return reading === "everything" ? null : (readerIn(reading)?.user ?? null);
}

/** Whose limits bind a call. A reader that is named wrongly is refused where it would read. */
export function billedReader(reading: Reading): string {
  try {
    return ownReader(reading) ?? readerName(reading) ?? "";
  } catch {
    return "";
  }
}
