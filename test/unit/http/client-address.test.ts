import { expect, test } from "vitest";

import { parseConfig } from "../../../src/config.ts";
import { baseUrlOf, addressOf, clientOf } from "../../../src/http/client-address.ts";

const PRODUCTION = { ENVIRONMENT: "production", ENCRYPTION_KEY: btoa("0".repeat(32)) };
const BEHIND = { ENVIRONMENT: "development", TRUSTED_PROXIES: "10.0.0.0/8, 2001:db8:ff::1" };

/** A request as workerd hands it over; `peer` is the other end of its socket. */
function received(peer: string | null, headers: Record<string, string>, url = "http://localhost/") {
  const request = new Request(url, { headers });
  return Object.assign(request, peer === null ? {} : { cf: { clientIp: peer } });
}

const clientAt = (address: string) =>
  clientOf(parseConfig(PRODUCTION), received(null, { "CF-Connecting-IP": address }));

test("an IPv4 client is its address, also when it is written as IPv6", () => {
  expect(clientAt("192.0.2.7")).toBe("192.0.2.7");
  expect(clientAt("::ffff:192.0.2.7")).toBe("192.0.2.7");
});

test("an IPv6 client is its /64, however it is written", () => {
  const network = "2001:db8:0:7::/64";
  expect(clientAt("2001:db8:0:7::1")).toBe(network);
  expect(clientAt("2001:0DB8:0000:0007:ffff:ffff:ffff:ffff")).toBe(network);
  expect(clientAt("2001:db8:0:7:1:2:3:4%eth0")).toBe(network);
  expect(clientAt("2001:db8:0:8::1")).toBe("2001:db8:0:8::/64");
  expect(clientAt("::1")).toBe("0:0:0:0::/64");
  expect(clientAt("2001:db8::")).toBe("2001:db8:0:0::/64");
});

test("without an address all share one budget", () => {
  expect(clientOf(parseConfig(PRODUCTION), received(null, {}))).toBe(clientAt(" "));
});

const XFF = "X-Forwarded-For";
/** The socket's address, what a request says, and whose it is. */
const CALLERS: [peer: string, said: Record<string, string>, client: string][] = [
  ["192.0.2.1:4711", {}, "192.0.2.1"],
  ["[2001:db8::1]:4711", {}, "2001:db8::1"],
  ["[::ffff:10.9.9.9]:4711", { [XFF]: "192.0.2.1" }, "192.0.2.1"],
  // Nobody else is believed, whatever they send.
  ["192.0.2.1:1", { "CF-Connecting-IP": "192.0.2.2" }, "192.0.2.1"],
  ["192.0.2.1:1", { [XFF]: "192.0.2.2", Forwarded: "for=192.0.2.2" }, "192.0.2.1"],
  ["10.0.0.1:1", { "CF-Connecting-IP": "192.0.2.2", "X-Real-IP": "192.0.2.2" }, "10.0.0.1"],
  // The last hop that is not trusted: what stands before it is the caller's own word.
  ["10.0.0.1:1", { [XFF]: "192.0.2.2, 192.0.2.1" }, "192.0.2.1"],
  ["10.0.0.1:1", { [XFF]: "192.0.2.2, 192.0.2.1,10.1.1.1 , 2001:db8:ff::1" }, "192.0.2.1"],
  ["10.0.0.1:1", { [XFF]: "10.3.3.3, 10.2.2.2" }, "10.3.3.3"],
  ["10.0.0.1:1", { [XFF]: "192.0.2.1:51000" }, "192.0.2.1"],
  ["10.0.0.1:1", { [XFF]: "[2001:db8::7]:51000" }, "2001:db8::7"],
  ["[2001:db8:ff::1]:1", { [XFF]: "2001:DB8:0::7" }, "2001:db8::7"],
  ["[2001:db8:ff::2]:1", { [XFF]: "2001:db8::7" }, "2001:db8:ff::2"],
  // An entry that is no address is nobody's: the proxy that wrote it stands in.
  ["10.0.0.1:1", { [XFF]: "192.0.2.1, unknown" }, "10.0.0.1"],
  ["10.0.0.1:1", { [XFF]: "192.0.2.1, 2130706433" }, "10.0.0.1"],
  ["10.0.0.1:1", { [XFF]: "192.0.2.1, unknown, 10.0.0.2" }, "10.0.0.2"],
  ["10.0.0.1:1", { [XFF]: "" }, "10.0.0.1"],
  // RFC 7239, sections 4, 6 and 7.1.
  ["10.0.0.1:1", { Forwarded: 'For="[2001:db8:cafe::17]:4711"' }, "2001:db8:cafe::17"],
  ["10.0.0.1:1", { Forwarded: "for=192.0.2.60;proto=http;by=203.0.113.43" }, "192.0.2.60"],
  ["10.0.0.1:1", { Forwarded: "for=192.0.2.43, for=10.0.0.2" }, "192.0.2.43"],
  ["10.0.0.1:1", { Forwarded: 'for=192.0.2.2,for="192.0.2.1:_p" ; by="a,;\\"b"' }, "192.0.2.1"],
  ["10.0.0.1:1", { Forwarded: "for=192.0.2.1:80;;secret=_x,, " }, "192.0.2.1"],
  ["10.0.0.1:1", { Forwarded: "for=192.0.2.2, for=_hidden" }, "10.0.0.1"],
  ["10.0.0.1:1", { Forwarded: "for=192.0.2.2, for=unknown" }, "10.0.0.1"],
  ["10.0.0.1:1", { Forwarded: "for=192.0.2.2, proto=https" }, "10.0.0.1"],
  // A caller's open quotation mark swallows what the proxy adds.
  ["10.0.0.1:1", { Forwarded: 'for=192.0.2.2;x=", for=192.0.2.1' }, "10.0.0.1"],
  ["10.0.0.1:1", { Forwarded: 'for=192.0.2.2;x=", for="192.0.2.1:80"' }, "10.0.0.1"],
  // A proxy passes on what it does not write: where both differ, one is a caller's own.
  ["10.0.0.1:1", { [XFF]: "192.0.2.1", Forwarded: "for=192.0.2.1:80" }, "192.0.2.1"],
  ["10.0.0.1:1", { [XFF]: "192.0.2.2", Forwarded: "for=192.0.2.1" }, "10.0.0.1"],
  ["10.0.0.1:1", { [XFF]: "192.0.2.1", Forwarded: "nonsense" }, "10.0.0.1"],
];

test.each(CALLERS)("a request from %s with %o is that of %s", (peer, headers, client) => {
  expect(addressOf(parseConfig(BEHIND), received(peer, headers))).toBe(client);
});

test("on Cloudflare only Cloudflare says who calls", () => {
  const config = parseConfig({ ...PRODUCTION, TRUSTED_PROXIES: "10.0.0.0/8" });
  const headers = {
    "CF-Connecting-IP": "192.0.2.1",
    [XFF]: "192.0.2.2",
    Forwarded: "for=192.0.2.2",
  };
  expect(addressOf(config, received("10.0.0.1:1", headers))).toBe("192.0.2.1");
  const host = { "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "http" };
  const request = received("10.0.0.1:1", host, "https://quarry.example.com/x");
  expect(baseUrlOf(config, request)).toBe("https://quarry.example.com");
});

test("a development server, which tells no socket, is called on its machine", () => {
  const config = parseConfig({ ENVIRONMENT: "development" });
  expect(addressOf(config, received(null, { "CF-Connecting-IP": "192.0.2.1" }))).toBe("127.0.0.1");
});

test.each(["http://localhost:8787*", "http://localhost:8787, evil/x"])(
  "a request to %s is refused, and no defect",
  (url) => {
    const request = Object.defineProperty(received(null, {}), "url", { value: url });
    expect(() => baseUrlOf(parseConfig(BEHIND), request)).toThrow("Invalid request");
  },
);

test("host and scheme are those that a trusted proxy was called with", () => {
  const behind = parseConfig(BEHIND);
  const base = (peer: string, headers: Record<string, string>) =>
    baseUrlOf(behind, received(peer, headers, "http://localhost:8787/x"));
  const proxyHeaders = {
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "evil.example, LocalHost:443",
  };
  expect(base("10.0.0.1:1", proxyHeaders)).toBe("https://localhost");
  expect(base("192.0.2.1:1", proxyHeaders)).toBe("http://localhost:8787");
  expect(base("10.0.0.1:1", { Forwarded: "host=[::1];proto=HTTPS" })).toBe("https://[::1]");
  expect(base("10.0.0.1:1", { "X-Forwarded-Proto": "gopher" })).toBe("http://localhost:8787");
  const config = parseConfig({ ...BEHIND, PUBLIC_BASE_URL: "https://Quarry.example:8443/" });
  expect(baseUrlOf(config, received("10.0.0.1:1", proxyHeaders))).toBe(
    "https://quarry.example:8443",
  );
});
