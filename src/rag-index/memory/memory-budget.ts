export type Holder = { forget(): void };

type Claim = { holder: WeakRef<Holder>; bytes: number; lastUse: number };

/** A holder that was idle during this many uses of others can be evicted. */
const IDLE_AFTER_USES = 64;

/** Memory of an isolate. What is in use is never taken: two holders would reload it in turn. */
export class MemoryBudget {
  readonly #limitBytes: number;
  #claims: Claim[] = [];
  #uses = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Grants a holder this much in place of what it had; false: it holds nothing now. */
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

  use(holder: Holder): void {
    const claim = this.#claims.find((candidate) => candidate.holder.deref() === holder);
    if (claim !== undefined) claim.lastUse = ++this.#uses;
  }

  release(holder: Holder): void {
    this.#claims = this.#claims.filter((claim) => claim.holder.deref() !== holder);
  }

  #claimedBytes(): number {
    return this.#claims.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Evicts the longest idle first, and only as much as needed. */
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

/** Keeps a holder's value in memory while its budget has room: loaded when needed, then updated. */
export class CachedValue<Value extends { bytes: number }> {
  readonly #budget: MemoryBudget;
  #value: Value | null = null;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  get value(): Value | null {
    return this.#value;
  }

  forget(): void {
    this.#value = null;
    this.#budget.release(this);
  }

  /** Loads it, and keeps it if there is room. */
  read(load: () => Value): Value {
    if (this.#value !== null) {
      this.#budget.use(this);
      return this.#value;
    }
    const value = load();
    if (this.#budget.claim(this, value.bytes)) this.#value = value;
    return value;
  }
}

type Numbers = Uint32Array | Float64Array;

/** `into`, which has more places, with the same numbers. */
export function copyInto<Kind extends Numbers>(into: Kind, old: Kind): Kind {
  into.set(old);
  return into;
}
