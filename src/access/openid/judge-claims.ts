import { isObject } from "../../core/is-object.ts";
import type { Role } from "../../db/access/user-store.ts";
import { MAX_EMAIL_LENGTH, foldEmail } from "../users/user-input.ts";
import type { ProviderSettings } from "./provider-settings.ts";

export type Claims = Record<string, unknown>;

/** A person whom the provider lets in. `role` null: the panel keeps it. */
export type Person = {
  email: string;
  role: Role | null;
  groups: string[];
  /** Groups that the provider names and nobody counts. */
  omittedGroups: number;
};
export type Refusal = "no-address" | "unverified-address" | "not-let-in" | "too-many-groups";
/** `email`: the verified address of somebody who is refused. */
export type Verdict =
  | { isLetIn: true; person: Person }
  | { isLetIn: false; refusal: Refusal; email: string | null };

/** As many as a request may name of a reader. */
const MAX_GROUPS = 1_000;
const MAX_GROUP_LENGTH = 320;

/**
 * Only an Entra administrator gives user principal names, at the tenant's own domains; those of
 * guests are no addresses. https://learn.microsoft.com/entra/identity-platform/optional-claims-reference
 */
const UPN = "upn";
const GUEST = /([#_])ext\1@/;
const addressClaimOf = (verifiedClaim: string) => (verifiedClaim === UPN ? UPN : "email");

/** ASCII: some other letters become ASCII ones in lower case, and so another person's address. */
const PLAIN_ADDRESS = /^[!-?A-~]+@[!-?A-~]+$/;

/** Whether the ID token lacks what `judgeClaims` reads; without optional claims, it judges. */
export function missingClaims(
  { claim, adminClaim, groupsClaim, verifiedClaim }: ProviderSettings,
  idToken: Claims,
): "needed" | "optional" | "none" {
  const lacks = (names: (string | null | undefined)[]) =>
    names.some((name) => name != null && valueOf(idToken, name) === undefined);
  if (lacks([addressClaimOf(verifiedClaim), verifiedClaim, claim, adminClaim])) return "needed";
  return lacks([groupsClaim, isTrusted(verifiedClaim) ? VERIFIED : null]) ? "optional" : "none";
}

export function judgeClaims(
  settings: ProviderSettings,
  idToken: Claims,
  userinfo: Claims = {},
): Verdict {
  const refuse = (refusal: Refusal, verified: string | null = null) =>
    ({ isLetIn: false, refusal, email: verified }) as const;
  const { email, isVerified } = addressIn(settings, [idToken, userinfo]);
  if (email === "") return refuse("no-address");
  if (!isVerified) return refuse("unverified-address");
  const hasValue = (name: string, values: readonly string[]) =>
    valuesOf(name, idToken, userinfo).some((value) => values.includes(value));
  const domain = email.slice(email.lastIndexOf("@") + 1);
  const { claim, adminClaim } = settings;
  const isAtDomain = settings.domains.includes(domain);
  if (!isAtDomain && (claim == null || !hasValue(claim, settings.claimValues))) {
    return refuse(isOmitted(claim, idToken) ? "too-many-groups" : "not-let-in", email);
  }
  const role =
    adminClaim == null ? null : hasValue(adminClaim, settings.adminValues) ? "admin" : "member";
  const all = valuesOf(settings.groupsClaim, idToken, userinfo);
  const groups = all.filter((group) => group.length <= MAX_GROUP_LENGTH).slice(0, MAX_GROUPS);
  const omittedGroups = all.length - groups.length;
  return { isLetIn: true, person: { email, role, groups, omittedGroups } };
}

/** "" where there is none. It and whether it is verified come from the same one of the sources. */
function addressIn(settings: ProviderSettings, sources: Claims[]) {
  const name = addressClaimOf(settings.verifiedClaim);
  const texts = sources.map((claims) => claims[name]).filter((text) => typeof text === "string");
  const address = texts.find((text) => text !== "") ?? "";
  const email = foldEmail(address);
  const isUsable = PLAIN_ADDRESS.test(address) && email.length <= MAX_EMAIL_LENGTH;
  if (name === UPN) return { email: isUsable && !GUEST.test(email) ? email : "", isVerified: true };
  const holders = sources.filter((claims) => claims[name] === address);
  return { email: isUsable ? email : "", isVerified: isVerified(settings, holders) };
}

/** Entra names no groups of people in more than 200; where to ask for them is not asked here. */
function isOmitted(name: string | null | undefined, { _claim_names: elsewhere }: Claims): boolean {
  return name != null && isObject(elsewhere) && Object.hasOwn(elsewhere, name);
}

const VERIFIED = "email_verified";

/**
 * Many companies' providers do not say that they verified an address. Settings that name the
 * address itself trust it then, unless the provider says that it is not verified.
 */
const isTrusted = (verifiedClaim: string) => verifiedClaim === "email";

function isVerified({ verifiedClaim }: ProviderSettings, sources: Claims[]): boolean {
  const isEnough = isTrusted(verifiedClaim);
  const values = sources.map((claims) => valueOf(claims, isEnough ? VERIFIED : verifiedClaim));
  return isTrue(values.find((value) => value !== undefined) ?? isEnough);
}

/** Entra writes 1, others write texts. */
const isTrue = (value: unknown) =>
  value === true || value === "true" || value === 1 || value === "1";

/** The texts that a claim holds, of the first that has it. */
function valuesOf(name: string, ...sources: Claims[]): string[] {
  const first = sources.map((claims) => valueOf(claims, name)).find((value) => value !== undefined);
  // Zitadel writes each role as a field (https://zitadel.com/docs/apis/openidoauth/claims).
  const fields = isObject(first)
    ? Object.keys(first).filter((key) => isObject(first[key]))
    : [first];
  const list: unknown[] = Array.isArray(first) ? first : fields;
  return list.flatMap((value) => {
    if (typeof value === "string") return [value];
    return typeof value === "number" || typeof value === "boolean" ? [String(value)] : [];
  });
}

/** A claim by its name; else the claim `b` within `a` for `a.b`. Each name may hold dots. */
function valueOf(claims: unknown, name: string): unknown {
  if (!isObject(claims)) return undefined;
  if (Object.hasOwn(claims, name)) return claims[name];
  const values = [...name.matchAll(/\./g)].map(({ index }) =>
    Object.hasOwn(claims, name.slice(0, index))
      ? valueOf(claims[name.slice(0, index)], name.slice(index + 1))
      : undefined,
  );
  return values.find((value) => value !== undefined);
}
