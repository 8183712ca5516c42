import ipaddr from "ipaddr.js";

/** The groups of an IPv6 address that make up its /64, which usually belongs to one customer. */
const NETWORK_GROUPS = 4;
/** Clients without an address share one budget: this happens only in local tests. */
const NOBODY = "none";

/** The client that a rate window counts: `CF-Connecting-IP`; for IPv6, its /64. */
export function clientOf(headers: Headers): string {
  const address = headers.get("CF-Connecting-IP")?.trim() ?? "";
  if (!ipaddr.isValid(address)) return address || NOBODY;
  const ip = ipaddr.process(address);
  if (ip instanceof ipaddr.IPv4) return ip.toString();
  const network = ip.parts.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
  return `${network.join(":")}::/64`;
}

const MAX_ADDRESS_LENGTH = 64;

/** Who a session's record says it is of. */
export const originOf = (headers: Headers) => ({
  address: addressOf(headers),
  userAgent: headers.get("User-Agent") ?? "",
});

/** The address as a person reads it; empty where there is none. */
export const addressOf = (headers: Headers) =>
  (headers.get("CF-Connecting-IP")?.trim() ?? "").slice(0, MAX_ADDRESS_LENGTH);
