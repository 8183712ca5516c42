import { expect, test } from "vitest";

import { judgeClaims, missingClaims } from "../../../src/access/openid/judge-claims.ts";
import { providerSettings } from "../../../src/access/openid/provider-settings.ts";

const person = { email: "ann@example.com", email_verified: true };

/** As Zitadel and Keycloak write them. */
test.each<[string, object]>([
  [
    "urn:zitadel:iam:org:project:roles",
    { "urn:zitadel:iam:org:project:roles": { staff: { o: "" } } },
  ],
  [
    "resource_access.quarry.example.com.roles",
    { resource_access: { "quarry.example.com": { roles: ["staff"] } } },
  ],
  [
    "resource_access.quarry.panel.roles",
    { resource_access: { quarry: { roles: [] }, "quarry.panel": { roles: ["staff"] } } },
  ],
  ["groups", { groups: "staff" }],
])("somebody is let in by a value of %s", (claim, claims) => {
  const needed = { name: "x", issuer: "https://a.test", clientId: "x" };
  const settings = providerSettings.parse({ ...needed, claim, claimValues: ["staff"] });
  expect(judgeClaims(settings, { ...person, ...claims }).isLetIn).toBe(true);
  expect(judgeClaims(settings, { ...person, [claim]: { staff: false } }).isLetIn).toBe(false);
});

test("groups of a person that do not count are counted", () => {
  const needed = { name: "x", issuer: "https://a.test", clientId: "x", domains: ["example.com"] };
  const names = Array.from({ length: 1_003 }, (_, at) => (at === 0 ? "g".repeat(400) : `g${at}`));
  const verdict = judgeClaims(providerSettings.parse(needed), { ...person, groups: names });
  const groups = names.slice(1, 1_001);
  expect(verdict).toMatchObject({ isLetIn: true, person: { groups, omittedGroups: 3 } });
});

test("an address that no claim vouches for counts where the settings say so", () => {
  const needed = { name: "x", issuer: "https://a.test", clientId: "x", domains: ["example.com"] };
  const settings = providerSettings.parse({ ...needed, verifiedClaim: "email" });
  const { email } = person;
  const isLetIn = (...claims: [object, object?]) =>
    judgeClaims(settings, ...(claims as [Record<string, unknown>])).isLetIn;
  expect(isLetIn({ email })).toBe(true);
  expect(isLetIn({}, { email })).toBe(true);
  expect(isLetIn({ email, email_verified: "false" })).toBe(false);
  expect(isLetIn({ email }, { email, email_verified: false })).toBe(false);
  expect(judgeClaims(providerSettings.parse(needed), { email }).isLetIn).toBe(false);
  // Userinfo may say that the address is not verified.
  expect(missingClaims(settings, { email, groups: [] })).toBe("optional");
});

test("a user principal name is an address only where the settings say so", () => {
  const needed = { name: "x", issuer: "https://a.test", clientId: "x", domains: ["example.com"] };
  const upn = "Ann@example.com";
  const settings = providerSettings.parse({ ...needed, verifiedClaim: "upn" });
  const email = "ann@example.com";
  expect(judgeClaims(settings, { upn })).toMatchObject({ isLetIn: true, person: { email } });
  // The address of a mailbox may be anybody's there.
  const claims = { upn, email: "boss@example.com", email_verified: true };
  expect(judgeClaims(settings, claims)).toMatchObject({ person: { email } });
  const guests = ["#EXT#", "_EXT_"].map((mark) => ({ upn: `eve_example.org${mark}@example.com` }));
  for (const unusable of [{ email }, ...guests, { upn: "ann" }, { preferred_username: upn }])
    expect(judgeClaims(settings, unusable)).toMatchObject({ refusal: "no-address" });
  expect(judgeClaims(providerSettings.parse(needed), { upn })).toMatchObject({ isLetIn: false });
  expect(missingClaims(settings, { email })).toBe("needed");
});
