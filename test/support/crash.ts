import { env } from "cloudflare:workers";

import type { Services } from "../../src/services.ts";
import { intercepted, withProperty } from "./intercepted.ts";

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

  wrap(services: Services): Services {
    return aroundCalls(services, async (go) => await this.#through(go));
  }

  async #through(call: () => Promise<unknown>): Promise<unknown> {
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
}

/** At which calls the work is tried: the first, how many further on (1 with `EVERY_CRASH`), the last. */
type Tried = {
  from?: number;
  every?: number;
  upTo?: number;
  moment?: CrashMoment | ((at: number) => CrashMoment);
};

const MAX_CALLS = 150;

/**
 * Runs the work with a crash at one call to the outside after the other, until a run meets none.
 * Tells at how many calls it died.
 */
export async function crashAtCalls(
  run: (crash: CrashPoint, at: number) => Promise<void>,
  { from = 1, every = 1, upTo = Infinity, moment = "after" }: Tried = {},
): Promise<number> {
  const isEach = env.EVERY_CRASH !== undefined;
  let points = 0;
  for (let at = isEach ? 1 : from; at <= upTo; at += isEach ? 1 : every) {
    if (at > MAX_CALLS) throw new Error("the work does not come to an end");
    const crash = new CrashPoint(at, typeof moment === "string" ? moment : moment(at));
    await run(crash, at);
    if (!crash.hasCrashed) return points;
    points++;
  }
  return points;
}

/** Services whose calls to anything outside of the worker go through `around`. */
export function aroundCalls(
  services: Services,
  around: (go: () => Promise<unknown>) => Promise<unknown>,
): Services {
  const guard = <T extends object>(target: T, names: readonly (keyof T)[] | null): T =>
    intercepted(target, async ({ go }) => await around(go), names);
  const client = guard(services.db.$client, ["batch"]);
  const { vectorIndex, models } = services;
  return {
    ...services,
    db: withProperty(services.db, "$client", client),
    files: guard(services.files, ["get", "head", "put", "delete", "list"]),
    queue: guard(services.queue, ["index", "scan"]),
    ragIndexes: (address) => guard(services.ragIndexes(address), null),
    vectorIndex: vectorIndex && guard(vectorIndex, ["upsert", "remove", "findPresent", "findNear"]),
    models: {
      ...models,
      embedder(name, dimensions) {
        const embedder = models.embedder(name, dimensions);
        return { ...embedder, model: guard(embedder.model, ["doEmbed"]) };
      },
    },
    sourceReaders: async (source) => {
      const reader = await services.sourceReaders(source);
      if (reader === null) return null;
      const guarded = guard(reader, ["list", "open", "readPushed", "follow"]);
      const { watcher } = reader;
      if (watcher === undefined) return guarded;
      const names = ["targets", "start", "extend", "stop"] as const;
      return withProperty(guarded, "watcher", guard(watcher, names));
    },
  };
}
