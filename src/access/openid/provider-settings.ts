import { z } from "zod";

import { invalidField, QuarryError } from "../../core/errors.ts";
import { webUrlIn } from "../../core/input/web-address.ts";
import { findProvider, saveProvider as write } from "../../db/access/openid-store.ts";
import type { ProviderRow } from "../../db/access/openid-store.ts";
import { endVouchedSessions } from "../../db/access/session-store.ts";
import type { Services } from "../../services.ts";
import { seal } from "../seal.ts";

const MAX_LINE_LENGTH = 500;
const MAX_LIST_LENGTH = 100;

const line = z.string().trim().min(1).max(MAX_LINE_LENGTH);
const lines = z.array(line).max(MAX_LIST_LENGTH);

const issuer = line
  .refine(isIssuer, "must be an https URL without credentials, query or fragment")
  .meta({
    label: "Issuer",
    hint: "Exactly as the provider writes it, without /.well-known/openid-configuration.",
    placeholder: "https://login.example.com",
    input: "url",
  });

function isIssuer(text: string): boolean {
  const url = webUrlIn(text);
  if (url === null) return false;
  return [url.username, url.password, url.search, url.hash].every((part) => part === "");
}

/** Lower case, without an @ in front: `example.com`. */
const domains = z
  .array(line.transform((text) => text.toLowerCase().replace(/^@/, "")))
  .max(MAX_LIST_LENGTH);

const MORE = "More";

const fields = z.object({
  name: line.meta({
    label: "Name",
    hint: "The button says: Continue with (name).",
    placeholder: "Example Ltd.",
  }),
  issuer,
  clientId: line.meta({ label: "Client ID" }),
  clientSecret: line
    .meta({ label: "Client secret", input: "password", secret: true, hint: "Stored encrypted." })
    .optional(),
  domains: domains.default([]).meta({
    label: "Email domains",
    hint: "One a line, such as example.com. A person needs a verified address in one of them, or the claim below.",
  }),
  claim: line.nullish().meta({
    label: "Access claim",
    hint: "Instead of a domain, such as groups or hd; a.b is the claim b of a.",
    isHalf: true,
  }),
  claimValues: lines.default([]).meta({
    label: "With one of these values",
    hint: "One a line.",
    isHalf: true,
  }),
  adminClaim: line.nullish().meta({
    label: "Administrator claim",
    hint: "If empty, roles are set under Users.",
    isHalf: true,
  }),
  adminValues: lines.default([]).meta({
    label: "With one of these values",
    hint: "One a line. Everybody else is a member.",
    isHalf: true,
  }),
  enabled: z.boolean().default(false).meta({
    label: "Offer it on the sign-in page",
    hint: "Save and test the settings first.",
  }),
  scopes: line.default("openid email profile").meta({
    label: "Scopes",
    hint: "With offline_access, where the provider has it, nobody is sent to the provider every hour.",
    folded: MORE,
  }),
  consent: z.boolean().default(false).meta({
    label: "Ask for consent at every sign-in",
    hint: "For providers that give a refresh token only then: prompt=consent.",
    folded: MORE,
  }),
  groupsClaim: line.default("groups").meta({
    label: "Claim of groups",
    hint: "The groups of a person, for files with permissions.",
    folded: MORE,
  }),
  verifiedClaim: line.default("email_verified").meta({
    label: "Claim of a verified address",
    hint: "For Microsoft Entra ID: xms_edov. email: the provider has only verified addresses, and does not say so. upn: the user principal name is the address.",
    folded: MORE,
  }),
  clientAuthentication: z
    .enum(["basic", "post"])
    .default("basic")
    .meta({
      label: "Client authentication",
      choices: { basic: "client_secret_basic", post: "client_secret_post" },
      folded: MORE,
    }),
});

/** The panel's OpenID Connect provider, and whom it lets in. */
export const providerSettings = fields.omit({ clientSecret: true });
export type ProviderSettings = z.infer<typeof providerSettings>;

/** The settings as they are sent; without a secret the stored one is kept. */
export const providerInput = fields.superRefine(
  ({ domains: at, claim, claimValues, adminClaim, adminValues, scopes }, context) => {
    const addIssue = (field: string, message: string) =>
      context.addIssue({ code: "custom", path: [field], message });
    if (claim == null && claimValues.length > 0) addIssue("claim", "is required for these values");
    if (claim != null && claimValues.length === 0)
      addIssue("claimValues", "is required for a claim");
    if (claim == null && at.length === 0) addIssue("domains", "is required, or a claim");
    if (adminClaim == null && adminValues.length > 0) addIssue("adminClaim", "is required");
    if (adminClaim != null && adminValues.length === 0) addIssue("adminValues", "is required");
    if (!scopes.split(" ").includes("openid")) addIssue("scopes", "must have openid");
  },
);
export type ProviderInput = z.infer<typeof providerInput>;

export type StoredProvider = Omit<ProviderRow, "settings"> & { settings: ProviderSettings };

export async function readProvider({ db }: Pick<Services, "db">): Promise<StoredProvider | null> {
  const row = await findProvider(db);
  return row === null ? null : { ...row, settings: providerSettings.parse(row.settings) };
}

/**
 * Stores the provider. With another one or another client, sessions that the one before vouched
 * for end, all but the caller's.
 * @throws QuarryError `invalid` for an issuer that is not asked by https, and for a secret that is
 * missing or would be sent elsewhere than before
 */
export async function saveProvider(
  services: Pick<Services, "config" | "db">,
  { clientSecret, ...settings }: ProviderInput,
  ownSession: string | null,
): Promise<void> {
  const { config, db } = services;
  const isOpen = URL.parse(settings.issuer)?.protocol !== "https:";
  if (isOpen && !config.ALLOW_PRIVATE_URLS) throw invalidField("issuer", "must be an https URL");
  const before = await readProvider(services);
  const isOther = before !== null && isOtherClient(before, settings);
  const keptSecret = isOther ? null : (before?.sealedSecret ?? null);
  const sealedSecret = clientSecret === undefined ? keptSecret : await seal(config, clientSecret);
  if (sealedSecret === null) {
    const when = isOther ? " when the issuer or the client ID changes" : "";
    throw invalidField("clientSecret", `is required${when}`);
  }
  await write(db, { settings, sealedSecret });
  if (isOther) await endVouchedSessions(db, ownSession);
}

/** Whoever may change where a secret is sent need not know it, and could send it to themselves. */
const isOtherClient = (
  { settings: before }: StoredProvider,
  after: Pick<ProviderInput, "issuer" | "clientId">,
) => before.issuer !== after.issuer || before.clientId !== after.clientId;

/**
 * How people may sign in. `provider`: its name; null: none is offered. PASSWORD_SIGN_IN=off counts
 * once an administrator has signed in with the provider that is offered: else nobody could set it
 * up, or mend it.
 */
export async function signInChoices(services: Pick<Services, "config" | "db">) {
  const provider = await readProvider(services);
  const isOffered = provider?.settings.enabled === true;
  const isOff = services.config.PASSWORD_SIGN_IN === "off";
  return {
    provider: isOffered ? provider.settings.name : null,
    passwords: !(isOff && isOffered && provider.hasAdmin),
  };
}

/** @throws QuarryError `forbidden` where people sign in with the provider only. */
export async function refusePasswords(services: Pick<Services, "config" | "db">): Promise<void> {
  if (services.config.PASSWORD_SIGN_IN === "on") return;
  const { provider, passwords } = await signInChoices(services);
  if (!passwords) throw new QuarryError("forbidden", `Passwords are off: sign in with ${provider}`);
}
