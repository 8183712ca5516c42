import type { FileSourceId } from "../core/ids.ts";
import type { Principal } from "../core/principals.ts";
import type { SourceWatcher } from "./source-watcher.ts";

/**
 * Who may read a file at its source, and where each of them comes from ("file", "folder Contracts",
 * "drive Finance"); none: nobody. Or why that could not be read: then nobody may.
 */
export type FileReaders =
  | { principals: { principal: Principal; from: string }[] }
  | { unreadable: string };

/** A file as a source lists it. Equal versions mean equal bytes. */
export type ListedFile = {
  path: string;
  externalId: string | null;
  url: string | null;
  name: string;
  size: number;
  mimeType: string;
  version: string;
  /** `ancestors` (external ids of the folders above) lets a scope name a folder. */
  metadata: Record<string, unknown>;
  sourceState: Record<string, unknown> | null;
  /** Requested where the source's `permissions` are on; absent: the source does not say. */
  readers?: FileReaders;
  /** When it was last changed, ms; absent where the source does not say, or nothing is new. */
  modifiedAt?: number | null;
  /**
   * Unreadable this time: `version` is that of the last success, or "" (then it is an `error`), and
   * without a `sourceState` that stays as it was.
   */
  failure?: { kind: SourceFailureKind; message: string };
};

/** Addresses that were kept out of a listing, by a limit that somebody may raise unless `about` it. */
export type LeftOut = {
  /** The setting's name, or a name for what is no page of the source. */
  limit: string;
  /** Which addresses these are, where nobody has to do anything about them. */
  about?: string | undefined;
  addresses: number;
  /** There were more than could be distinguished. */
  isAtLeast: boolean;
};

/**
 * An item of a listing that could not be read: the file that is known by its id stays as it is.
 * `id` null: it cannot be told which file that is, or the item may hold files. One in a change feed
 * has everything listed.
 */
export type UnreadItem = { id: string | null; path: string; message: string };

export type ListingPage = {
  files: ListedFile[];
  /** External ids, or paths of files without one, that are reported as deleted (change feeds only). */
  deleted: string[];
  /** Where the next page starts; null when the listing is complete. */
  next: string | null;
  /** Entries of the provider's page, folders too: a listing whose pages stay empty is ended. */
  entries?: number;
  /** Part of the source was not listed: its unlisted files are not deleted. */
  partial?: boolean;
  /** The listing started over with this page: what earlier pages listed does not count. */
  restarted?: boolean;
  /** Links and items that became no file (disallowed, missing, failing); stored with the run. */
  skipped?: number;
  /** Why, of the first of these. */
  problems?: { path: string; message: string }[];
  /** Counted and named with these. */
  unread?: UnreadItem[];
  /** On the last page: what limits of the source's settings kept out. */
  leftOut?: LeftOut[];
  /** On the last page: when somebody's permission to read expires, ms, and is to be read again. */
  againAt?: number;
  /** On the last page: the cursor from which `follow` reads changes since this listing began. */
  changeCursor?: string;
};

export type OpenedFile = {
  body: ReadableStream<Uint8Array>;
  size: number | null;
  mimeType: string | null;
  /** Decides its format where the listed name ends like another one's; "": `mimeType` does. */
  name?: string;
};

/** Kind of a source's failure; determines the delay and the message to the user. */
export type SourceFailureKind = "throttled" | "down" | "denied" | "bad-file" | "our-limit";

export class SourceFailure extends Error {
  override readonly name = "SourceFailure";
  readonly kind: SourceFailureKind;
  readonly retryAfterMs: number | null;

  constructor(kind: SourceFailureKind, message: string, retryAfterMs: number | null = null) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * A listed file whose provider says that it does not exist. It keeps its place until a listing
 * lacks it: a wrong address, a lagging replica or a hidden right look the same.
 */
export const missingFile = (detail: string) =>
  new SourceFailure("down", `${detail}: listed, but not found; the next scan checks it`);

/** Turns a refusal into null; other failures are thrown on. */
export function nullIfDenied(thrown: unknown): null {
  if (thrown instanceof SourceFailure && thrown.kind === "denied") return null;
  throw thrown;
}

/** Storage for a reader's data between calls, below a prefix of its source in R2. */
export interface ReaderStore {
  read(key: string): Promise<Uint8Array | null>;
  write(key: string, bytes: Uint8Array): Promise<void>;
  /** Removes every key that begins with the prefix. */
  remove(prefix: string): Promise<void>;
  /** Removes every key below the prefix that is not to be kept. */
  retain(prefix: string, isKept: (key: string) => boolean): Promise<void>;
}

/** Files found by earlier scans, without removed ones. */
export interface KnownFiles {
  /** Those of these paths that are files of the source; any number of paths. */
  byPath: (paths: string[]) => Promise<ListedFile[]>;
  byExternalId: (ids: string[]) => Promise<ListedFile[]>;
  /** All of them, ordered by path, after this one. */
  all(after: string | null, limit: number): Promise<ListedFile[]>;
  /** Files whose `sourceState.pushed` is true, ordered by path, after this one. */
  pushed(after: string | null, limit: number): Promise<ListedFile[]>;
}

/** A reader keeps nothing in memory between calls. @throws SourceFailure, without secrets */
export interface SourceReader {
  /** Lists everything, page by page; a run may begin it after it followed the change feed. */
  list(cursor: string | null, signal: AbortSignal): Promise<ListingPage>;
  /** @throws `missingFile`: only a listing or a change feed reports a file as deleted */
  open(file: ListedFile, signal: AbortSignal): Promise<OpenedFile>;
  /** Tests settings and credentials in one cheap call: resolves to what it sees, throws advice. */
  check?(signal: AbortSignal): Promise<string>;
  /** The listing is complete and committed: data stored between its pages may be deleted. */
  finishListing?(): Promise<void>;
  /** Reads only these pushed paths, whether known or not. One page. */
  readPushed?(paths: string[], signal: AbortSignal): Promise<ListingPage>;
  /**
   * Changes since `changeCursor`; `cursor` continues a long feed. If several pages report a file,
   * the last counts; within a page, listed wins over deleted. Null when the cursor has expired, or
   * a change (a moved folder) can only be found by listing everything.
   */
  follow?(
    changeCursor: string,
    cursor: string | null,
    signal: AbortSignal,
  ): Promise<ListingPage | null>;
  /** Principals in a group and its subgroups; absent: unknown. @throws SourceFailure `denied` */
  membersOf?(group: string, signal: AbortSignal): Promise<string[]>;
  /** Where the provider notifies of changes; without it, only the scan interval finds them. */
  readonly watcher?: SourceWatcher;
}

/** The input for creating a reader: the source's settings, its secrets decrypted. */
export type SourceSettings = {
  id: FileSourceId;
  provider: string;
  config: Record<string, unknown>;
  sealedSecrets: string | null;
  /** Whether its files' readers are read; absent: off. */
  permissions?: "off" | "on";
};

/** Null for a source that only receives pushed files. */
export type SourceReaders = (source: SourceSettings) => Promise<SourceReader | null>;
