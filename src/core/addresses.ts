import ipaddr from "ipaddr.js";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type AddressRange = [Address, bits: number];

/** `192.0.2.7:80`, `[2001:db8::1]` or `[2001:db8::1]:443`; a port may be an obfuscated one. */
const WITH_PORT = /^(?:\[([^\]]*)\](?::\w+)?|([\d.]+):\w+)$/;
const RANGE = /^([\d.:a-f]+)(?:\/(\d{1,3}))?$/i;

/**
 * The address in a text, with or without a port; null: there is none. An IPv4 address that is
 * written as IPv6 is the IPv4 address.
 */
export function parseAddress(text: string): Address | null {
  const [, bracketed, plain] = WITH_PORT.exec(text) ?? [];
  return parseLiteral(bracketed ?? plain ?? text);
}

function parseLiteral(literal: string): Address | null {
  // The library also takes 127.1 and 2130706433 for IPv4 addresses.
  const isPlain = ipaddr.IPv4.isValidFourPartDecimal(literal) || ipaddr.IPv6.isValid(literal);
  return isPlain ? ipaddr.process(literal) : null;
}

/** Addresses and ranges such as `10.0.0.0/8`, comma between; null: a part is neither, or all addresses. */
export function parseRanges(text: string): AddressRange[] | null {
  const ranges = text.split(",").map((part) => parseRange(part.trim()));
  return ranges.every((range) => range !== null) ? ranges : null;
}

function parseRange(text: string): AddressRange | null {
  const [, literal = "", length] = RANGE.exec(text) ?? [];
  const address = parseLiteral(literal);
  if (address === null) return null;
  const width = address.kind() === "ipv4" ? 32 : 128;
  const bitsBefore = width === 32 && literal.includes(":") ? 96 : 0;
  const bits = length === undefined ? width : Number(length) - bitsBefore;
  return bits > 0 && bits <= width ? [address, bits] : null;
}

export const isWithin = (address: Address, ranges: AddressRange[]): boolean =>
  ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
