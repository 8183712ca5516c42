import { QuarryError } from "../../core/errors.ts";
import type { Services } from "../../services.ts";
import { storedProvider } from "./provider-settings.ts";

/** How people may sign in. `provider`: its name; null: none is offered. */
export type SignInChoices = { provider: string | null; passwords: boolean };

/**
 * PASSWORD_SIGN_IN=off counts once an administrator has signed in with the provider that is
 * offered: else nobody could set it up, or mend it.
 */
export async function signInChoices(
  services: Pick<Services, "config" | "db">,
): Promise<SignInChoices> {
  const stored = await storedProvider(services);
  const isOffered = stored?.settings.enabled === true;
  const isOff = services.config.PASSWORD_SIGN_IN === "off";
  return {
    provider: isOffered ? stored.settings.name : null,
    passwords: !(isOff && isOffered && stored.hasAdmin),
  };
}

/** @throws QuarryError `forbidden` where people sign in with the provider only. */
export async function refusePasswords(services: Pick<Services, "config" | "db">): Promise<void> {
  if (services.config.PASSWORD_SIGN_IN === "on") return;
  const { provider, passwords } = await signInChoices(services);
  if (!passwords) throw new QuarryError("forbidden", `Passwords are off: sign in with ${provider}`);
}
