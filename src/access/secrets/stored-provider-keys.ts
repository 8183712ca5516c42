import type { Config } from "../../config.ts";
import { SECOND_MS } from "../../core/time.ts";
import type { Log } from "../../core/log.ts";
import { listProviderKeys } from "../../db/access/provider-key-store.ts";
import type { Database, Reads } from "../../db/sql.ts";
import type { ProviderKeys } from "../../ports/models.ts";
import { unseal } from "../seal.ts";

/** A key that was replaced elsewhere is used no longer than this. */
const KEPT_MS = 5 * SECOND_MS;
const kept = new WeakMap<object, { until: number; keys: ProviderKeys }>();
let changes = 0;

type Opening = { config: Config; db: Reads; log: Log };

/**
 * The keys that were set in the panel; of one that cannot be opened, none. Calls share values, never
 * promises: the runtime lets no call wait for what another one reads.
 */
export async function storedProviderKeys(services: Opening, now: number): Promise<ProviderKeys> {
  const { $client } = services.db;
  const known = kept.get($client);
  if (known !== undefined && known.until > now) return known.keys;
  const before = changes;
  const keys = await opened(services);
  // What was read before a change must not be kept after it.
  if (before === changes) kept.set($client, { until: now + KEPT_MS, keys });
  return keys;
}

export function forgetProviderKeys({ $client }: Database): void {
  changes += 1;
  kept.delete($client);
}

async function opened({ config, db, log }: Opening): Promise<ProviderKeys> {
  const keys: ProviderKeys = {};
  for (const { name, sealedKey } of await listProviderKeys(db)) {
    try {
      keys[name] = await unseal(config, sealedKey);
    } catch {
      log.error("provider key cannot be opened", { provider: name });
    }
  }
  return keys;
}
