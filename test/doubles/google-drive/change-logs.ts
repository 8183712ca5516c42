/** Whose change log it is: that of a shared drive, or null for the account's own. */
export type LogOwner = string | null;

/**
 * The account and each shared drive have a change log of their own; a page token is a number in it.
 * https://developers.google.com/workspace/drive/api/guides/about-changes
 */
export class ChangeLogs {
  /** Page tokens below this are no longer taken. */
  oldestToken = 1;
  readonly #logs = new Map<LogOwner, string[]>();
  readonly #expired = new Map<LogOwner, number>();

  add(owner: LogOwner, id: string): void {
    this.#logOf(owner).push(id);
  }

  /** No page token that was given until now is taken any more. */
  expire(): void {
    for (const [owner, log] of this.#logs) this.#expired.set(owner, log.length + 1);
  }

  startToken(owner: LogOwner): string {
    return String(this.#logOf(owner).length + 1);
  }

  /** Lists an item that changed several times once. Null: the token is not taken. */
  page(owner: LogOwner, token: string | null, pageSize: number) {
    const log = this.#logOf(owner);
    const from = Number(token);
    const oldest = Math.max(this.oldestToken, this.#expired.get(owner) ?? 1);
    if (!Number.isInteger(from) || from < oldest) return null;
    const end = Math.min(from - 1 + pageSize, log.length);
    const tokens =
      end >= log.length
        ? { newStartPageToken: this.startToken(owner) }
        : { nextPageToken: String(end + 1) };
    return { ids: [...new Set(log.slice(from - 1, end))], tokens };
  }

  #logOf(owner: LogOwner): string[] {
    const log = this.#logs.get(owner) ?? [];
    this.#logs.set(owner, log);
    return log;
  }
}
