import ipaddr from "ipaddr.js";

import type { Config } from "../config.ts";
import { isWithin, parseAddress, type Address } from "../core/addresses.ts";
import { invalid } from "../core/errors.ts";
import { forwardedElements } from "./forwarded.ts";

/** The groups of an IPv6 address that make up its /64, which usually belongs to one customer. */
const NETWORK_GROUPS = 4;
/** Clients without an address share one budget: no request on Cloudflare comes without one. */
const NOBODY = "none";
const MAX_ADDRESS_LENGTH = 64;
/** Headers that proxies add to a request. */
const PROXY_HEADERS = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/;

export type Trust = Pick<Config, "ENVIRONMENT" | "TRUSTED_PROXIES">;

/** The client that a rate window counts: its address; for IPv6, its /64. */
export function clientOf(config: Trust, request: Request): string {
  const address = addressOf(config, request);
  const ip = parseAddress(address);
  if (!(ip instanceof ipaddr.IPv6)) return ip?.toString() ?? (address || NOBODY);
  const network = ip.parts.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
  return `${network.join(":")}::/64`;
}

/** The address and program that the record of a session shows. */
export const originOf = (config: Trust, request: Request) => ({
  address: addressOf(config, request),
  userAgent: request.headers.get("User-Agent") ?? "",
});

/**
 * The client's address as a person reads it: on Cloudflare `CF-Connecting-IP`, empty without it;
 * elsewhere the socket's, or what trusted proxies say. A proxy passes on the header that it does
 * not write: where the two headers name different clients, neither is believed.
 */
export function addressOf(config: Trust, request: Request): string {
  const { headers } = request;
  if (config.ENVIRONMENT !== "development") {
    return (headers.get("CF-Connecting-IP")?.trim() ?? "").slice(0, MAX_ADDRESS_LENGTH);
  }
  const peer = peerOf(request);
  const list = headers.get("X-Forwarded-For");
  const elements = headers.get("Forwarded");
  const chains = [
    ...(list === null ? [] : [list.split(",")]),
    ...(elements === null ? [] : [forwardedElements(elements).map(({ for: hop = "" }) => hop)]),
  ];
  const clients = chains.map((hops) => findClientHop(config, peer, hops).toString());
  const [client = peer.toString()] = clients;
  return clients.every((address) => address === client) ? client : peer.toString();
}

const isTrusted = ({ TRUSTED_PROXIES: proxies = [] }: Trust, address: Address) =>
  isWithin(address, proxies);

/** The last hop that is not a trusted proxy; where a proxy names none, the proxy itself. */
function findClientHop(config: Trust, peer: Address, hops: string[]): Address {
  let client = peer;
  for (const hop of hops.toReversed()) {
    const address = isTrusted(config, client) ? parseAddress(hop.trim()) : null;
    if (address === null) break;
    client = address;
  }
  return client;
}

/** The host and scheme that a trusted proxy was called with, as far as it says. */
export function proxyTarget(config: Trust, request: Request): { host?: string; proto?: string } {
  if (config.ENVIRONMENT !== "development" || !isTrusted(config, peerOf(request))) return {};
  const { headers } = request;
  const element = forwardedElements(headers.get("Forwarded") ?? "").at(-1) ?? {};
  const lastValueOf = (name: string) => headers.get(name)?.split(",").at(-1)?.trim();
  const host = (lastValueOf("X-Forwarded-Host") ?? element["host"])?.toLowerCase();
  const proto = (lastValueOf("X-Forwarded-Proto") ?? element["proto"])?.toLowerCase();
  return { ...(host && { host }), ...(proto && /^https?$/.test(proto) && { proto }) };
}

/** Whether a program on this machine sent a request, and no proxy passed it on. */
export const isFromThisMachine = (request: Request): boolean =>
  peerOf(request).range() === "loopback" &&
  ![...request.headers.keys()].some((name) => PROXY_HEADERS.test(name));

const LOOPBACK = ipaddr.IPv4.parse("127.0.0.1");

/**
 * The other end of the socket, which workerd passes as `cf.clientIp`. A development server of
 * wrangler passes none: it listens on loopback only.
 */
function peerOf(request: Request): Address {
  const peer: unknown = Reflect.get(request.cf ?? {}, "clientIp");
  return (typeof peer === "string" ? parseAddress(peer) : null) ?? LOOPBACK;
}

type AddressConfig = Trust & Pick<Config, "PUBLIC_BASE_URL">;

/**
 * `{base_url}`: as configured, or the origin that was called. Never ends in a slash.
 * @throws QuarryError `invalid`
 */
export function baseUrlOf(config: AddressConfig, request: Request): string {
  if (config.PUBLIC_BASE_URL !== undefined) return config.PUBLIC_BASE_URL;
  const url = URL.parse(request.url);
  // `OPTIONS *`, or a header Host that is none.
  if (url === null) throw invalid("the address that was called is none");
  const { origin, protocol, host } = url;
  const called = proxyTarget(config, request);
  const scheme = called.proto ?? protocol.slice(0, -1);
  return URL.parse(`${scheme}://${called.host ?? host}`)?.origin ?? origin;
}

/** Whether callers reach the service over https, as far as it knows. */
export const isHttps = (config: AddressConfig, request: Request) =>
  baseUrlOf(config, request).startsWith("https:");
