/** What an entry takes beside its bytes, about. */
const ENTRY_BYTES = 1_024;

/**
 * Bytes that were just stored and will be read once, soon: kept so that the read costs nothing
 * where the reader runs in the same isolate, as in a local runtime. The oldest leave first.
 */
export class RecentBytes {
  readonly #limitBytes: number;
  readonly #kept = new Map<string, Uint8Array<ArrayBuffer>>();
  #size = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /**
   * `key` names these very bytes and is never used for others. A view of a larger buffer is not
   * kept: it would keep all of that, and a reader may discard the buffer.
   */
  add(key: string, bytes: Uint8Array<ArrayBuffer>): void {
    const { byteLength, buffer } = bytes;
    const taken = byteLength + ENTRY_BYTES;
    if (taken > this.#limitBytes || byteLength !== buffer.byteLength) return;
    this.take(key);
    this.#kept.set(key, bytes);
    this.#size += taken;
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= this.#limitBytes) return;
      this.take(oldest);
    }
  }

  /** Null where they are not kept; they are given once. */
  take(key: string): Uint8Array<ArrayBuffer> | null {
    const bytes = this.#kept.get(key) ?? null;
    if (bytes === null) return null;
    this.#kept.delete(key);
    this.#size -= bytes.byteLength + ENTRY_BYTES;
    return bytes;
  }
}
