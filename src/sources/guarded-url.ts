import ipaddr from "ipaddr.js";
import { z } from "zod";

import { webUrlIn } from "../core/input/web-address.ts";
import { trimEnd } from "../core/trim.ts";

/** Why an address is not fetched; goes into messages that a user reads. */
export type UrlVerdict = { ok: true; url: URL } | { ok: false; reason: string };

/** Characters. */
export const MAX_URL_LENGTH = 8_192;
/** Names that only exist inside a network, and what they end in. */
const INNER_SUFFIXES =
  "localhost local internal localdomain lan home corp intranet private home.arpa in-addr.arpa".split(
    " ",
  );

const PRIVATE_HOST =
  "the host is not a public address; a server on your own machine reads it with ALLOW_PRIVATE_URLS=true";

const refuse = (reason: string): UrlVerdict => ({ ok: false, reason });

/**
 * Whether an address that a user, a document or a site chose may be fetched: http or https,
 * without credentials, to a public literal address or a name that can be public. What a name
 * resolves to is the runtime's to check (`global_fetch_strictly_public`).
 * @param base what a relative address (a redirect's, a link's) is relative to
 * @param allowPrivate lifts the rules about hosts, for a server on one's own machine and for tests
 */
export function guardUrl(text: string, base?: URL, allowPrivate = false): UrlVerdict {
  if (text.length > MAX_URL_LENGTH) return refuse("the address is too long");
  const url = URL.parse(text, base?.href);
  if (url === null) return refuse("not a valid address");
  if (!/^https?:$/.test(url.protocol)) {
    return refuse(`only http and https are fetched, not ${url.protocol.slice(0, -1)}`);
  }
  if (url.username !== "" || url.password !== "") {
    return refuse("the address holds credentials");
  }
  if (allowPrivate) return { ok: true, url };
  const reason = hostRefusal(url, url.host === base?.host ? null : text);
  return reason === null ? { ok: true, url } : refuse(reason);
}

/** `written`: the text that the host was parsed from, or null when it came from a checked base. */
function hostRefusal(url: URL, hostname: string | null): string | null {
  const host = trimEnd(url.hostname, ".");
  if (host.startsWith("[")) return addressRefusal(host.slice(1, -1));
  if (ipaddr.IPv4.isValidFourPartDecimal(host)) {
    // 0x7f.1, 2130706433 and full-width digits all parse to four decimals; nobody means well by them.
    const odd = hostname !== null && !hostname.includes(`//${host}`);
    return odd ? "the address is written in an unusual notation" : addressRefusal(host);
  }
  const inner = INNER_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
  return inner || !host.includes(".") ? PRIVATE_HOST : null;
}

/** Everything but plain unicast is special: private, loopback, mapped, NAT64, 6to4 and so on. */
function addressRefusal(literal: string): string | null {
  const range = ipaddr.isValid(literal) ? ipaddr.parse(literal).range() : "invalid";
  return range === "unicast" && !isDeprecatedForm(literal) ? null : PRIVATE_HOST;
}

/** `::a.b.c.d`, IPv4-compatible: long deprecated, and unicast to the library. */
function isDeprecatedForm(literal: string): boolean {
  if (!ipaddr.IPv6.isValid(literal)) return false;
  return ipaddr.IPv6.parse(literal)
    .parts.slice(0, 6)
    .every((part) => part === 0);
}

const MAX_ADDRESS_LENGTH = 2_048;

/** An http or https URL that carries no credentials. Where it leads is judged at each fetch. */
export const httpAddress = z
  .string()
  .max(MAX_ADDRESS_LENGTH)
  .refine(isHttpAddress, "must be an http or https URL without credentials")
  .meta({ input: "url" });

/** The setting of a provider's own address, to which the secret is sent. */
export const apiAddress = (meta: { label?: string; hint?: string; folded: string }) =>
  httpAddress
    .optional()
    .meta({ label: "Address of the API", ...meta, destination: true, encrypted: true });

function isHttpAddress(text: string): boolean {
  const url = webUrlIn(text);
  return url !== null && url.username === "" && url.password === "";
}
