/** Holds memory that it can do without. */
export type Holder = { forget(): void };

type Claim = { holder: WeakRef<Holder>; bytes: number; lastUse: number };

/** A holder that was not used for so many uses of others makes room for them. */
const IDLE_AFTER_USES = 64;

/**
 * Memory that the index objects of one isolate share: it may hold many of them, and dies with all
 * of them when it has too little. Who gets none reads from storage, which is slower and as exact;
 * nobody is robbed of what is in use, or two that take turns would read everything each time.
 */
export class MemoryBudget {
  readonly #limitBytes: number;
  #claims: Claim[] = [];
  #uses = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Grants a holder this much instead of what it had; false: it has nothing now. */
  claim(holder: Holder, bytes: number): boolean {
    this.release(holder);
    this.#uses++;
    if (bytes > this.#limitBytes) return false;
    this.#claims = this.#claims.filter((claim) => claim.holder.deref() !== undefined);
    this.#makeRoom(bytes);
    if (this.#claimedBytes() + bytes > this.#limitBytes) return false;
    this.#claims.push({ holder: new WeakRef(holder), bytes, lastUse: this.#uses });
    return true;
  }

  /** What a holder has is in use. */
  use(holder: Holder): void {
    const claim = this.#claims.find((one) => one.holder.deref() === holder);
    if (claim !== undefined) claim.lastUse = ++this.#uses;
  }

  release(holder: Holder): void {
    this.#claims = this.#claims.filter((claim) => claim.holder.deref() !== holder);
  }

  #claimedBytes(): number {
    return this.#claims.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Takes from the longest idle first, and only what is needed. */
  #makeRoom(bytes: number): void {
    const idle = this.#claims
      .filter(({ lastUse }) => this.#uses - lastUse > IDLE_AFTER_USES)
      .sort((a, b) => a.lastUse - b.lastUse);
    for (const { holder } of idle) {
      if (this.#claimedBytes() + bytes <= this.#limitBytes) return;
      const idler = holder.deref();
      if (idler === undefined) continue;
      this.release(idler);
      idler.forget();
    }
  }
}
