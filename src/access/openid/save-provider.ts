import { invalidField } from "../../core/errors.ts";
import { saveProvider as write } from "../../db/access/openid-store.ts";
import { endVouchedSessions } from "../../db/access/session-store.ts";
import type { Services } from "../../services.ts";
import { seal } from "../seal.ts";
import { storedProvider, type ProviderInput, type StoredProvider } from "./provider-settings.ts";

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
  const before = await storedProvider(services);
  const isOther = before !== null && isElsewhere(before, settings);
  const kept = isOther ? null : (before?.sealedSecret ?? null);
  const sealedSecret = clientSecret === undefined ? kept : await seal(config, clientSecret);
  if (sealedSecret === null) {
    const when = isOther ? " when the issuer or the client ID changes" : "";
    throw invalidField("clientSecret", `is required${when}`);
  }
  await write(db, { settings, sealedSecret });
  if (isOther) await endVouchedSessions(db, ownSession);
}

/** Whoever may change where a secret is sent need not know it, and could send it to themselves. */
const isElsewhere = (
  { settings: before }: StoredProvider,
  after: Pick<ProviderInput, "issuer" | "clientId">,
) => before.issuer !== after.issuer || before.clientId !== after.clientId;
