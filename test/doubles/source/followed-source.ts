import type { ListingPage } from "../../../src/ports/source-reader.ts";
import { ScriptedSource, type ScriptedFile } from "./scripted-source.ts";

/**
 * A document source with a change feed, as drives have: every change has a number, a cursor is the
 * number of the next one, and a page shows each file that changed as it is when it is asked for.
 */
export class FollowedSource extends ScriptedSource {
  changesAPage = 1_000;
  /** Cursors below this have expired. */
  oldestCursor = 0;
  /** The changes that were asked for, by the number of the first. */
  followedFrom: number[] = [];
  afterListing: () => void = () => undefined;
  beforeChanges: (first: number) => Promise<void> = async () => undefined;
  readonly #changes: string[] = [];

  change(path: string, file: string | ScriptedFile): void {
    const changed = typeof file === "string" ? { text: file } : file;
    this.files.set(path, changed);
    this.#changes.push(changed.externalId ?? path);
  }

  remove(path: string): void {
    const id = this.files.get(path)?.externalId ?? path;
    this.files.delete(path);
    this.#changes.push(id);
  }

  move(from: string, to: string): void {
    const file = this.files.get(from);
    if (file === undefined) throw new Error(`there is no ${from}`);
    this.files.delete(from);
    this.change(to, { externalId: from, ...file });
  }

  /** The feed is to be taken up where it stood when the listing began. */
  override async list(cursor: string | null, signal: AbortSignal): Promise<ListingPage> {
    const [page = null, start = String(this.#changes.length)] = cursor?.split("@") ?? [];
    const listing = await super.list(page, signal);
    const { next } = listing;
    this.afterListing();
    return {
      ...listing,
      next: next === null ? null : `${next}@${start}`,
      ...(next === null ? { changeCursor: start } : {}),
    };
  }

  async follow(changeCursor: string, cursor: string | null): Promise<ListingPage | null> {
    const first = Number(cursor ?? changeCursor);
    await this.beforeChanges(first);
    if (first < this.oldestCursor) return null;
    this.followedFrom.push(first);
    const end = Math.min(first + this.changesAPage, this.#changes.length);
    const ids = new Set(this.#changes.slice(first, end));
    const files = this.listing().filter(({ externalId }) => ids.has(externalId ?? ""));
    for (const { externalId } of files) ids.delete(externalId ?? "");
    const more = end < this.#changes.length;
    return {
      files,
      deleted: [...ids],
      unread: this.unread,
      next: more ? String(end) : null,
      ...(more ? {} : { changeCursor: String(end) }),
    };
  }
}
