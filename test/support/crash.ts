import type { Embedder } from "../../src/ports/models.ts";
import type { RagIndex } from "../../src/ports/rag-index.ts";
import type { SourceReader } from "../../src/ports/source-reader.ts";
import type { SourceWatcher } from "../../src/ports/source-watcher.ts";
import type { Services } from "../../src/services.ts";

class Crashed extends Error {
  override readonly name = "Crashed";
}

/** Before the call reaches the other side, or after it has, with the answer lost. */
export type CrashMoment = "before" | "after";

/**
 * Services whose worker dies at the n-th call to anything outside of it: that call and all that
 * follow throw, until it is revived.
 */
export class CrashPoint {
  calls = 0;
  hasCrashed = false;
  readonly #at: number;
  readonly #moment: CrashMoment;
  #dead = false;

  constructor(at: number, moment: CrashMoment) {
    this.#at = at;
    this.#moment = moment;
  }

  revive(): void {
    this.#dead = false;
  }

  async #through<T>(call: () => Promise<T>): Promise<T> {
    if (this.#dead) throw new Crashed();
    this.calls++;
    const isHere = this.calls === this.#at && !this.hasCrashed;
    if (isHere && this.#moment === "before") this.#die();
    const answer = await call();
    if (isHere) this.#die();
    return answer;
  }

  #die(): never {
    this.hasCrashed = true;
    this.#dead = true;
    throw new Crashed();
  }

  /** The same object with its methods of these names passing through. */
  #guard<T extends object>(target: T, names: readonly (keyof T)[]): T {
    const through = <R>(call: () => Promise<R>) => this.#through(call);
    return new Proxy(target, {
      get(object, name) {
        const value: unknown = Reflect.get(object, name, object);
        if (typeof value !== "function") return value;
        const method = value as (...args: unknown[]) => Promise<unknown>;
        if (!names.includes(name as keyof T)) return method.bind(object);
        return (...args: unknown[]) => through(() => method.apply(object, args));
      },
    });
  }

  wrap(services: Services): Services {
    const client = this.#guard(services.db.$client, ["batch"]);
    const db = new Proxy(services.db, {
      get: (object, name) => (name === "$client" ? client : (Reflect.get(object, name) as unknown)),
    });
    return {
      ...services,
      db,
      files: this.#guard(services.files, ["get", "head", "put", "delete", "list"]),
      queue: this.#guard(services.queue, ["index", "scan"]),
      ragIndexes: (address) => this.#guardIndex(services.ragIndexes(address)),
      vectorIndex:
        services.vectorIndex === null
          ? null
          : this.#guard(services.vectorIndex, ["upsert", "remove", "present", "near"]),
      models: {
        ...services.models,
        embedder: (name, dimensions) =>
          this.#guardEmbedder(services.models.embedder(name, dimensions)),
      },
      sourceReaders: async (source) => {
        const reader = await services.sourceReaders(source);
        return reader === null ? null : this.#guardReader(reader);
      },
    };
  }

  #guardReader(reader: SourceReader): SourceReader {
    const guarded = this.#guard<SourceReader>(reader, ["list", "open", "look", "follow"]);
    const { watcher } = reader;
    if (watcher === undefined) return guarded;
    const names = ["targets", "start", "extend", "stop"] as const;
    const guardedWatcher = this.#guard<SourceWatcher>(watcher, names);
    return new Proxy(guarded, {
      get: (object, name) =>
        name === "watcher" ? guardedWatcher : (Reflect.get(object, name) as unknown),
    });
  }

  #guardIndex(index: RagIndex): RagIndex {
    const through = <R>(call: () => Promise<R>) => this.#through(call);
    return new Proxy(index, {
      get(stub, name) {
        return (...args: unknown[]) =>
          through(() => {
            const call = Reflect.get(stub, name) as (...args: unknown[]) => Promise<unknown>;
            return call(...args);
          });
      },
    });
  }

  #guardEmbedder(embedder: Embedder): Embedder {
    return { ...embedder, model: this.#guard(embedder.model, ["doEmbed"]) };
  }
}
