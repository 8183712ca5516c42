import { expect, test } from "vitest";

import { parseConfig } from "../../src/config.ts";

const parsed = (variables: Record<string, string>) =>
  parseConfig({ ENVIRONMENT: "development", ...variables });

test.each([
  ["https://Quarry.Example.COM", "https://quarry.example.com"],
  ["HTTPS://quarry.example.com:443/", "https://quarry.example.com"],
  ["http://[2001:DB8::1]:8080", "http://[2001:db8::1]:8080"],
  ["https://bücher.example", "https://xn--bcher-kva.example"],
])("the base address %s is the origin %s", (address, origin) => {
  expect(parsed({ PUBLIC_BASE_URL: address }).PUBLIC_BASE_URL).toBe(origin);
});

test.each([
  "https://quarry.example.com/docs",
  "https://quarry.example.com/docs/",
  "https://quarry.example.com//",
  "https://quarry.example.com?",
  "https://quarry.example.com/?a=b",
  "https://quarry.example.com/#top",
  "https://ann@quarry.example.com",
  "https://ann:secret@quarry.example.com",
  "ftp://quarry.example.com",
  "quarry.example.com",
  "localhost:8787",
])("the base address %s is no origin", (address) => {
  expect(() => parsed({ PUBLIC_BASE_URL: address })).toThrow(
    /PUBLIC_BASE_URL: must be an origin, .* a path before Quarry's own is not supported$/,
  );
});

test.each([
  ["10.0.0.0", "10.0.0.0/33", "10.0.0.0/", "10.0.0.1:80", "10/8", "0x0a.0.0.1", "proxy.example"],
  ["2001:db8::", "2001:db8::/129", "::ffff:10.0.0.0/96", "[::1]", "::/0", "0.0.0.0/0", ""],
])("after %s a trusted proxy that is no address or range is named", (good, ...wrong) => {
  for (const range of wrong) {
    expect(() => parsed({ TRUSTED_PROXIES: `${good},${range}` })).toThrow(
      /TRUSTED_PROXIES: must be addresses and ranges .*, and not all addresses$/,
    );
  }
  expect(parsed({ TRUSTED_PROXIES: ` ${good} , ${good}/8 ` }).TRUSTED_PROXIES).toHaveLength(2);
});

test("a contact is a mailto: or https: address", () => {
  const contact = (SECURITY_CONTACT: string) => parsed({ SECURITY_CONTACT }).SECURITY_CONTACT;
  expect(contact("mailto:security@example.com")).toBe("mailto:security@example.com");
  expect(contact("https://example.com/security")).toBe("https://example.com/security");
  for (const wrong of ["http://example.com", "security", "security@example.com"]) {
    expect(() => contact(wrong)).toThrow("SECURITY_CONTACT: must be a mailto: or https: address");
  }
});
