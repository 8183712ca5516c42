import type { FileSourceId } from "../core/ids.ts";

type Provider = "file_system" | "cloud_drive" | "object_storage" | "document_site" | "web";

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
  /**
   * Set when the source could not read the file this time. `version` is then that of the last
   * success: a file that was read before stays as it is, one that never was (version "") becomes
   * `error` with this message.
   */
  failure?: { kind: SourceFailureKind; message: string };
};

export type ListingPage = {
  files: ListedFile[];
  /** Paths or external ids that the source says are deleted (change feeds only). */
  deleted: string[];
  /** Where the next page starts; null when the listing is complete. */
  next: string | null;
  /** Part of the source could not be seen: what this whole run does not list is not deleted. */
  partial?: boolean;
  /** Links that became no file: disallowed, looping, missing, failing; for the run record. */
  skipped?: number;
  /** On the last page: where `follow` takes up the changes since this listing began. */
  changeCursor?: string;
};

export type OpenedFile =
  | {
      outcome: "opened";
      body: ReadableStream<Uint8Array>;
      size: number | null;
      mimeType: string | null;
    }
  | { outcome: "deleted" };

/** Kind of a source's failure; decides how long to wait and what to tell. */
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

/** Bytes that a reader keeps between calls, below a prefix of the source's own in R2. */
export interface ReaderStore {
  read(key: string): Promise<Uint8Array | null>;
  write(key: string, bytes: Uint8Array): Promise<void>;
  /** Removes every key that begins with the prefix. */
  remove(prefix: string): Promise<void>;
}

/** What earlier scans found; removed files are not among it. */
export interface KnownFiles {
  /** Those of these paths that are files of the source; any number of paths. */
  byPath(paths: string[]): Promise<ListedFile[]>;
  /** The same by external id. */
  byExternalId(ids: string[]): Promise<ListedFile[]>;
  /** Files whose `sourceState.pushed` is true, ordered by path, after this one. */
  pushed(after: string | null, limit: number): Promise<ListedFile[]>;
}

/**
 * One provider's way to list and read documents. A reader keeps nothing in memory between calls.
 * @throws SourceFailure, whose message is plain and holds no secret.
 */
export interface SourceReader {
  list(cursor: string | null, signal: AbortSignal): Promise<ListingPage>;
  open(file: ListedFile, signal: AbortSignal): Promise<OpenedFile>;
  /** The listing is complete and committed: what it kept from page to page may go. */
  ended?(): Promise<void>;
  /** Looks at these paths alone, whatever is known of them: what was pushed. One page. */
  look?(paths: string[], signal: AbortSignal): Promise<ListingPage>;
  /**
   * Changes since `changeCursor`; `cursor` continues a long feed. Of a file that several pages
   * tell of the last holds; within one page what is listed is there. Null when the cursor is no
   * longer good, or when what changed (a folder that moved) is known only by listing everything.
   */
  follow?(
    changeCursor: string,
    cursor: string | null,
    signal: AbortSignal,
  ): Promise<ListingPage | null>;
}

/** What a reader is made from: the source's settings, its secrets opened. */
export type SourceSettings = {
  id: FileSourceId;
  provider: Provider;
  config: Record<string, unknown>;
  sealedSecrets: string | null;
};

/** Null for a source that is pushed to and has nothing to list. */
export type SourceReaders = (source: SourceSettings) => Promise<SourceReader | null>;
