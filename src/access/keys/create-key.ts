import { z } from "zod";

import { sha256Hex } from "../../core/hash.ts";
import { futureTime, name } from "../../core/input/input-fields.ts";
import { insertKey, type KeyRow } from "../../db/access/key-store.ts";
import type { Services } from "../../services.ts";
import { newAutomationKey } from "../credential-format.ts";
import { role } from "../users/user-input.ts";

/** The settings of a key that is made at this time, ms. */
export const newKey = (now: number) =>
  z.object({
    name: name.meta({ label: "Name", hint: "The program that uses it." }),
    role: role.meta({
      label: "Role",
      hint: "A key of either role reads every file, also those with permissions.",
      choices: { member: "member: changes nothing", admin: "admin: may change everything" },
    }),
    expiresAt: futureTime(now).meta({
      label: "Last day",
      hint: "UTC. If empty, it does not expire.",
      input: "date",
    }),
  });

export type AutomationKey = Omit<KeyRow, "hash">;

/** Creates an automation key. `secret` is returned only here; only its hash is stored. */
export async function createKey(
  services: Pick<Services, "db" | "now">,
  input: z.output<ReturnType<typeof newKey>> & Pick<KeyRow, "id" | "createdBy">,
): Promise<{ key: AutomationKey; secret: string }> {
  const key: AutomationKey = { ...input, createdAt: services.now() };
  const secret = newAutomationKey();
  await insertKey(services.db, { ...key, hash: await sha256Hex(secret) });
  return { key, secret };
}
