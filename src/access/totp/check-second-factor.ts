import { QuarryError } from "../../core/errors.ts";
import type { UserId } from "../../core/ids.ts";
import { findTotp, useRecoveryCode, useStep, type StoredTotp } from "../../db/access/totp-store.ts";
import { withoutEntry } from "../../db/sql.ts";
import type { Services } from "../../services.ts";
import { unseal } from "../seal.ts";
import { isRecoveryCode, recoveryHash, stepOf } from "./totp-code.ts";

const KEY_LOST = `codes of the app cannot be checked: their secret was sealed with an ENCRYPTION_KEY \
that is not set any more; sign in with a recovery code`;

type FactorServices = Pick<Services, "config" | "db" | "now">;

/** The user's second factor if it is confirmed; null: a password is enough. */
export async function secondFactorOf(
  { db }: Pick<Services, "db">,
  userId: UserId,
): Promise<StoredTotp | null> {
  const factor = await findTotp(db, userId);
  return factor?.confirmed === true ? factor : null;
}

/**
 * Whether a code is accepted: an unused code of the app, or an unused recovery code.
 * @throws QuarryError `unprocessable` when the key that sealed the app's secret is not set any
 * more; recovery codes work without it.
 */
export async function useCode(
  { config, db, now }: FactorServices,
  userId: UserId,
  factor: StoredTotp,
  code: string,
): Promise<boolean> {
  const bare = withoutEntry(db);
  if (isRecoveryCode(code)) return await useRecoveryCode(bare, userId, await recoveryHash(code));
  const step = stepOf(await openSecret(config, factor), code, now());
  return step !== null && (await useStep(bare, userId, step));
}

/** @throws QuarryError `unprocessable` when the key that sealed the secret is not set any more. */
export async function openSecret(
  config: FactorServices["config"],
  { sealedSecret }: StoredTotp,
): Promise<string> {
  try {
    return await unseal(config, sealedSecret);
  } catch (cause) {
    throw new QuarryError("unprocessable", KEY_LOST, { cause });
  }
}
