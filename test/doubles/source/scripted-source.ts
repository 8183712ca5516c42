import { missingFile, SourceFailure } from "../../../src/ports/source-reader.ts";
import type {
  FileReaders,
  ListedFile,
  ListingPage,
  SourceReader,
  UnreadItem,
} from "../../../src/ports/source-reader.ts";

export type ScriptedFile = {
  text: string;
  /** Without it, the text is its own version. */
  version?: string;
  externalId?: string;
  metadata?: Record<string, unknown>;
  readers?: FileReaders;
};

/** A document source in memory that lists in pages, fails when told to, and counts its calls. */
export class ScriptedSource implements SourceReader {
  files = new Map<string, ScriptedFile>();
  pageSize = 1_000;
  /** Thrown by the listing of the page with this number, from 0, while it is set. */
  failures = new Map<number, SourceFailure>();
  /** Thrown when the file of this path is opened. */
  openFailures = new Map<string, SourceFailure>();
  partial = false;
  unread: UnreadItem[] = [];
  /** The page at which the listing begins anew, once. */
  restartAt: number | null = null;
  openedPaths: string[] = [];
  listings = 0;
  beforePage: (page: number) => Promise<void> = async () => undefined;

  constructor(files: Record<string, string | ScriptedFile> = {}) {
    this.set(files);
  }

  set(files: Record<string, string | ScriptedFile>): void {
    this.files = new Map(
      Object.entries(files).map(([path, file]) => [
        path,
        typeof file === "string" ? { text: file } : file,
      ]),
    );
  }

  async list(cursor: string | null, signal: AbortSignal): Promise<ListingPage> {
    signal.throwIfAborted();
    const page = Number(cursor ?? 0);
    await this.beforePage(page);
    if (page === this.restartAt) {
      this.restartAt = null;
      return { ...(await this.list(null, signal)), restarted: true };
    }
    if (page === 0) this.listings++;
    const failure = this.failures.get(page);
    if (failure !== undefined) throw failure;
    const all = this.listing();
    const next = (page + 1) * this.pageSize;
    return {
      files: all.slice(page * this.pageSize, next),
      deleted: [],
      next: next < all.length ? String(page + 1) : null,
      partial: this.partial,
      unread: this.unread,
    };
  }

  async open({ path }: ListedFile) {
    this.openedPaths.push(path);
    const failure = this.openFailures.get(path);
    if (failure !== undefined) throw failure;
    // A source has its own spelling of a path, which is stored in NFC.
    const file = this.files.get(path) ?? this.files.get(path.normalize("NFD"));
    if (file === undefined) throw missingFile("scripted source");
    const body = new Response(file.text).body;
    if (body === null) throw new SourceFailure("down", "scripted source: no body");
    return { body, size: file.text.length, mimeType: null };
  }

  /** Every file as the source lists it now. */
  protected listing(): ListedFile[] {
    return [...this.files].map(([path, file]) => {
      const entry: ListedFile = {
        path,
        externalId: file.externalId ?? path,
        url: null,
        name: path.slice(path.lastIndexOf("/") + 1),
        size: file.text.length,
        mimeType: "text/plain",
        version: file.version ?? file.text,
        metadata: file.metadata ?? {},
        sourceState: null,
      };
      if (file.readers !== undefined) entry.readers = file.readers;
      return entry;
    });
  }
}
