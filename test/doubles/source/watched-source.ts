import { SourceFailure } from "../../../src/ports/source-reader.ts";
import type { SourceWatcher, Watch, WatchRequest } from "../../../src/ports/source-watcher.ts";

/** A provider's watches in memory, which expire; what they are asked is kept. */
export class WatcherDouble implements SourceWatcher {
  readonly live = new Map<string, Watch & { target: string; token: string; baseUrl: string }>();
  readonly calls: string[] = [];
  names = ["changes"];
  /** Watches are started, and the one who asked is not told. */
  losesAnswers = false;
  lifeMs = 7 * 86_400_000;
  /** Targets that are not watched for anybody. */
  readonly refused = new Set<string>();
  /** There where the provider extends watches: see `extendWatches`. */
  extend?: NonNullable<SourceWatcher["extend"]>;
  /** Thrown by the next calls of that name. */
  readonly failures = new Map<string, SourceFailure>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  targets(): Promise<string[]> {
    this.#ask("targets");
    return Promise.resolve(this.names);
  }

  async start(target: string, { id, token, baseUrl }: WatchRequest): Promise<Watch> {
    this.#ask("start");
    if (this.refused.has(target)) throw new SourceFailure("denied", `${target} is refused`);
    const watch = { id, resourceId: `resource of ${target}`, expiresAt: this.#now() + this.lifeMs };
    this.live.set(id, { ...watch, target, token, baseUrl });
    if (this.losesAnswers) throw new SourceFailure("down", "no complete answer in time");
    return await Promise.resolve(watch);
  }

  /** From now on watches can be extended while the provider knows them. */
  extendWatches(knows: () => boolean): void {
    this.extend = async ({ id }) => {
      this.#ask("extend");
      const watch = this.live.get(id);
      if (watch === undefined || !knows()) return await Promise.resolve(null);
      watch.expiresAt = this.#now() + this.lifeMs;
      return watch;
    };
  }

  async stop({ id }: Watch): Promise<void> {
    this.#ask("stop");
    this.live.delete(id);
    await Promise.resolve();
  }

  /** Which targets are watched now. */
  watched(): string[] {
    const alive = [...this.live.values()].filter(({ expiresAt }) => expiresAt > this.#now());
    return alive.map(({ target }) => target).sort();
  }

  #ask(name: string): void {
    this.calls.push(name);
    const failure = this.failures.get(name);
    if (failure !== undefined) throw failure;
  }
}
