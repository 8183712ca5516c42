type Answer = { value: string; from: "primary" | "replica" };

/**
 * D1 with one replica that lags, and its sessions
 * (https://developers.cloudflare.com/d1/best-practices/read-replication/): a session's first read
 * goes where its constraint says, the others to a replica that has caught up with the session's
 * bookmark. It holds one value, which is all that a statement reads.
 */
export class ReplicatedDouble {
  #commits: string[] = [""];
  #replicated = 0;

  commit(value: string): void {
    this.#commits.push(value);
  }

  /** The replica has everything that is committed. */
  catchUp(): void {
    this.#replicated = this.#commits.length - 1;
  }

  binding(): D1Database {
    return {
      ...this.#client(() => this.#read("primary")),
      withSession: (constraint: string) => this.#session(constraint),
    } as unknown as D1Database;
  }

  #session(constraint: string) {
    let bookmark: number | null = null;
    return this.#client(() => {
      if (bookmark === null && constraint === "first-primary") {
        bookmark = this.#commits.length - 1;
        return this.#read("primary");
      }
      // A replica behind the bookmark answers when it has caught up.
      this.#replicated = Math.max(this.#replicated, bookmark ?? 0);
      bookmark = this.#replicated;
      return this.#read("replica");
    });
  }

  #read(from: Answer["from"]): Answer {
    const at = from === "primary" ? this.#commits.length - 1 : this.#replicated;
    return { value: this.#commits[at] ?? "", from };
  }

  #client(readAnswer: () => Answer) {
    const prepared = { bind: () => prepared };
    return {
      prepare: () => prepared,
      batch: (statements: unknown[]) =>
        Promise.resolve(statements.map(() => ({ results: [readAnswer()] }))),
    };
  }
}
