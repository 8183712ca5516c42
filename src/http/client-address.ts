const IPV4_MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const GROUPS = 8;
/** The groups of an IPv6 address that make up its /64, which usually belongs to one customer. */
const NETWORK_GROUPS = 4;
/** Clients without an address share one budget: this happens only in local tests. */
const NOBODY = "none";

/** The client that a rate window counts: `CF-Connecting-IP`; for IPv6, its /64. */
export function clientOf(headers: Headers): string {
  const address = headers.get("CF-Connecting-IP")?.trim() ?? "";
  if (address === "") return NOBODY;
  const mapped = IPV4_MAPPED.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  return address.includes(":") ? network64(address) : address;
}

/** `2001:db8::1` becomes `2001:db8:0:0::/64`. */
function network64(address: string): string {
  const [head = "", tail] = address.toLowerCase().split("%")[0]?.split("::") ?? [];
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, GROUPS - left.length - right.length);
  const groups = [...left, ...Array.from({ length: zeros }, () => "0"), ...right];
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => group.replace(/^0+(?=.)/, ""));
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
