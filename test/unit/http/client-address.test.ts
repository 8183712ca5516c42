import { expect, test } from "vitest";

import { clientOf } from "../../../src/http/client-address.ts";

const of = (address: string) => clientOf(new Headers({ "CF-Connecting-IP": address }));

test("an IPv4 client is its address, also when it is written as IPv6", () => {
  expect(of("192.0.2.7")).toBe("192.0.2.7");
  expect(of("::ffff:192.0.2.7")).toBe("192.0.2.7");
});

test("an IPv6 client is its /64, however it is written", () => {
  const network = "2001:db8:0:7::/64";
  expect(of("2001:db8:0:7::1")).toBe(network);
  expect(of("2001:0DB8:0000:0007:ffff:ffff:ffff:ffff")).toBe(network);
  expect(of("2001:db8:0:7:1:2:3:4%eth0")).toBe(network);
  expect(of("2001:db8:0:8::1")).toBe("2001:db8:0:8::/64");
  expect(of("::1")).toBe("0:0:0:0::/64");
  expect(of("2001:db8::")).toBe("2001:db8:0:0::/64");
});

test("without an address all share one budget", () => {
  expect(clientOf(new Headers())).toBe(of(" "));
});
