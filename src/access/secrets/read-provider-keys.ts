import type { Config } from "../../config.ts";
import type { Log } from "../../core/log.ts";
import type { KeyedServer } from "../../core/models/model-servers.ts";
import { SECOND_MS } from "../../core/time.ts";
import { listProviderKeys } from "../../db/access/provider-key-store.ts";
import type { Reads } from "../../db/sql.ts";
import { isProviderKeyName, type ProviderKeys } from "../../ports/models.ts";
import { unseal } from "../seal.ts";

/** A key that was replaced elsewhere is used no longer than this. */
const KEPT_MS = 5 * SECOND_MS;
let cache: { until: number; keys: ProviderKeys } | null = null;
let changes = 0;

type KeyServices = { config: Config; db: Reads; log: Log };

/**
 * The keys and servers that were set in the panel, without those that cannot be opened. Calls share
 * values, never promises: the runtime lets no call wait for what another one reads.
 */
export async function readProviderKeys(services: KeyServices, now: number): Promise<ProviderKeys> {
  if (cache !== null && cache.until > now) return cache.keys;
  const before = changes;
  const keys = await openKeys(services);
  // Keys that were read before a change must not be kept after it.
  if (before === changes) cache = { until: now + KEPT_MS, keys };
  return keys;
}

export function forgetProviderKeys(): void {
  changes += 1;
  cache = null;
}

async function openKeys({ config, db, log }: KeyServices): Promise<ProviderKeys> {
  const servers: KeyedServer[] = [];
  const keys: ProviderKeys = { servers };
  for (const { name, sealedKey, baseUrl } of await listProviderKeys(db)) {
    try {
      const key = await unseal(config, sealedKey);
      const apiKey = key === "" ? undefined : key;
      if (baseUrl !== null) servers.push({ name, baseUrl, apiKey, setBy: "panel" });
      else if (isProviderKeyName(name)) keys[name] = key;
    } catch {
      log.error("provider key cannot be opened", { provider: name });
    }
  }
  return keys;
}
