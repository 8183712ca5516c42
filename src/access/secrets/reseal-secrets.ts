import { reasonOf } from "../../core/errors.ts";
import {
  countSealedByKey,
  replaceSealed,
  findSecretsSealedBy,
  type SealedSecret,
} from "../../db/maintenance/sealed-secrets.ts";
import type { Services } from "../../services.ts";
import { keyIdsOf, seal, unseal } from "../seal.ts";

/** ENCRYPTION_KEY_PREVIOUS can be removed once the first count is 0. */
export async function countSecrets({
  config,
  db,
}: Pick<Services, "config" | "db">): Promise<{ sealedByPreviousKey: number; unreadable: number }> {
  const [keys, counts] = await Promise.all([keyIdsOf(config), countSealedByKey(db)]);
  let sealedByPreviousKey = 0;
  let unreadable = 0;
  for (const { keyId, secrets } of counts) {
    if (keyId === keys.previous) sealedByPreviousKey += secrets;
    else if (keyId !== keys.current) unreadable += secrets;
  }
  return { sealedByPreviousKey, unreadable };
}

const SECRETS_AT_ONCE = 100;

type SealServices = Pick<Services, "config" | "db" | "log">;

/** Logs how many still need the previous key. A secret that changes meanwhile keeps its change. */
export async function resealSecrets(services: SealServices): Promise<void> {
  const { config, db, log } = services;
  const { previous } = await keyIdsOf(config);
  if (previous === null) return;
  const secrets = await findSecretsSealedBy(db, previous, SECRETS_AT_ONCE);
  if (secrets.length === 0) return;
  const sealed = await Promise.all(secrets.map(async (secret) => await reseal(services, secret)));
  const changes = sealed.filter((change) => change !== null);
  const resealedSecrets = await replaceSealed(db, changes);
  log.info("secrets sealed with the current key", {
    resealed: resealedSecrets,
    ...(await countSecrets(services)),
  });
}

/** Null when it cannot be opened although its key is available. */
async function reseal({ config, log }: SealServices, secret: SealedSecret) {
  try {
    return { secret, sealed: await seal(config, await unseal(config, secret.sealed)) };
  } catch (thrown) {
    const { kind, id } = secret;
    log.error("secret cannot be opened", { kind, id, reason: reasonOf(thrown) });
    return null;
  }
}
