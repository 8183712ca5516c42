import { SECOND_MS, type Now } from "../../core/time.ts";
import { RecentLimits } from "../catalog/limit-store.ts";
import type { Reads } from "../sql.ts";
import { lookUpAgent, lookUpInference, lookUpPrincipal, lookUpRag } from "./principal-lookup.ts";
import type { Credential, Lookup } from "./principal-lookup.ts";

/** A revocation must be effective everywhere within 5 seconds; the rest is reserve. */
const KEPT_MS = 3 * SECOND_MS;
const ENTRIES_LIMIT = 256;
/** Longer entries are not kept: an inference with a long system prompt is looked up each time. */
const CHARACTERS_LIMIT = 16_384;

type LookUp<Resource> = (
  db: Reads,
  credential: Credential,
  identifier: string,
) => Promise<Lookup<Resource>>;

type KeptLookup<Resource> = { lookup: Lookup<Resource>; startedAt: number };

/**
 * Look-ups of tokens that an isolate has made within the last three seconds. Kept is only what
 * permits a call: refusals, sessions and resources whose index is being rebuilt are looked up each
 * time. The caller checks a token's expiry at each use.
 */
export class RecentLookup<Resource> {
  readonly #lookUp: LookUp<Resource>;
  readonly #kept = new Map<string, KeptLookup<Resource>>();
  #writes = 0;

  constructor(lookUp: LookUp<Resource>) {
    this.#lookUp = lookUp;
  }

  async find(
    { reads, now }: { reads: Reads; now: Now },
    credential: Credential,
    identifier: string,
    when: "now" | "recent" = "recent",
  ): Promise<Lookup<Resource>> {
    if (when === "now") return await this.#lookUp(reads, credential, identifier);
    const key = `${credential.hash} ${identifier}`;
    const startedAt = now();
    const entry = this.#kept.get(key);
    if (entry !== undefined && isFresh(entry, startedAt)) return entry.lookup;
    this.#kept.delete(key);
    const writes = this.#writes;
    const lookup = await this.#lookUp(reads, credential, identifier);
    // A value that was read before a write must not be kept after it.
    if (writes === this.#writes) this.#keep(key, lookup, startedAt);
    return lookup;
  }

  forget(): void {
    this.#writes += 1;
    this.#kept.clear();
  }

  #keep(key: string, { principal, found: resource }: Lookup<Resource>, startedAt: number): void {
    if (principal?.kind !== "token" || resource === null || !resource.covered || resource.changing)
      return;
    if (JSON.stringify(resource).length > CHARACTERS_LIMIT) return;
    // This call has noted the use of the token, so that the next ones need not.
    const lookup = { principal: { ...principal, lastUsedAt: startedAt }, found: resource };
    this.#kept.set(key, { lookup, startedAt });
    const [oldest = key] = this.#kept.keys();
    if (this.#kept.size > ENTRIES_LIMIT) this.#kept.delete(oldest);
  }
}

/** A clock that was set back makes an entry stale, too. */
function isFresh({ startedAt }: { startedAt: number }, now: number): boolean {
  return now >= startedAt && now - startedAt < KEPT_MS;
}

/** The look-ups before a search or a run, from memory where one was made just now. */
export class RecentLookups {
  readonly rag = new RecentLookup(lookUpRag);
  readonly inference = new RecentLookup(lookUpInference);
  readonly agent = new RecentLookup(lookUpAgent);
  /** The caller alone. */
  readonly caller = new RecentLookup(async (db, credential) => {
    const principal = await lookUpPrincipal(db, credential);
    return { principal, found: { resource: null, covered: true, changing: false } };
  });

  /** Spending limits, which look-ups read along. */
  readonly limits = new RecentLimits();

  /** Called after every write that may change who may use what, or how it is searched. */
  forget(): void {
    const all = [this.rag, this.inference, this.agent, this.caller, this.limits];
    for (const recent of all) recent.forget();
  }
}
