import type { Config } from "../../config.ts";
import { guardUrl } from "../../sources/guarded-url.ts";

/**
 * The address at which a provider can reach this service; null for a local one, or one without
 * HTTPS, which no provider notifies.
 */
export function pushAddress(
  config: Pick<Config, "PUBLIC_BASE_URL" | "ALLOW_PRIVATE_URLS">,
): string | null {
  const { PUBLIC_BASE_URL: address, ALLOW_PRIVATE_URLS: isTest } = config;
  if (address === undefined) return null;
  if (isTest) return address;
  return address.startsWith("https://") && guardUrl(address).ok ? address : null;
}
