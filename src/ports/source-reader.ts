/** A file as a source lists it. Equal versions mean equal bytes. */
export type ListedFile = {
  path: string;
  externalId: string | null;
  url: string | null;
  name: string;
  size: number;
  mimeType: string;
  version: string;
  metadata: Record<string, unknown>;
  sourceState: Record<string, unknown> | null;
};

export type ListingPage = {
  files: ListedFile[];
  /** Paths or external ids that the source says are gone (change feeds only). */
  gone: string[];
  /** Where the next page starts; null when the listing is complete. */
  next: string | null;
};

export type OpenedFile =
  | {
      outcome: "opened";
      body: ReadableStream<Uint8Array>;
      size: number | null;
      mimeType: string | null;
    }
  | { outcome: "gone" };

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

/**
 * One provider's way to list and read documents. A reader keeps nothing between calls.
 * @throws SourceFailure, whose message is plain and holds no secret.
 */
export interface SourceReader {
  list(cursor: string | null, signal: AbortSignal): Promise<ListingPage>;
  open(file: ListedFile, signal: AbortSignal): Promise<OpenedFile>;
}
