import { z } from "zod";

import { DAY_MS, SECOND_MS } from "../../core/time.ts";
import type { Services } from "../../services.ts";

/** Programs that registered themselves and that nobody allowed: of all networks, and of each. */
const MAX_UNUSED = 1_000;
const MAX_UNUSED_OF_NETWORK = 50;
/** A registration that nobody allowed ends after a day. */
export const UNUSED_S = DAY_MS / SECOND_MS;

const REGISTERED = "client:";
/** The platform stores 1,024 bytes with a key. */
const MAX_NAME_LENGTH = 100;

type Facts = { name: string; network: string };
const UNKNOWN: Facts = { name: "", network: "" };

export type Registration = Facts & { key: string; registeredAt: number };

type RegistryServices = Pick<Services, "programs" | "now">;

const program = z.object({ clientName: z.string().default("") });

/** Facts to store with the key of a registration; `value` is as the library writes it. */
export function registrationFacts(key: string, value: string, network: string) {
  if (!key.startsWith(REGISTERED)) return {};
  const { clientName } = program.parse(JSON.parse(value));
  return { metadata: { name: clientName.slice(0, MAX_NAME_LENGTH), network } };
}

/** Registrations that nobody allowed, the oldest first. A used one ends later than within a day. */
export async function unusedRegistrations({
  programs,
  now,
}: RegistryServices): Promise<Registration[]> {
  const unused: Registration[] = [];
  const until = now() / SECOND_MS + UNUSED_S;
  let cursor: string | null = null;
  do {
    const page: KVNamespaceListResult<Facts> = await programs.list({ prefix: REGISTERED, cursor });
    for (const { name: key, expiration = Infinity, metadata } of page.keys) {
      if (expiration > until) continue;
      unused.push({
        ...UNKNOWN,
        ...metadata,
        key,
        registeredAt: (expiration - UNUSED_S) * SECOND_MS,
      });
    }
    cursor = page.list_complete ? null : page.cursor;
  } while (cursor !== null);
  return unused.toSorted((a, b) => a.registeredAt - b.registeredAt);
}

/** Ends the oldest unused registrations in favour of a new one, those of its own network first. */
export async function makeRoom(services: RegistryServices, network: string): Promise<undefined> {
  const unused = await unusedRegistrations(services);
  const own = unused.filter((registration) => registration.network === network);
  const isFull = own.length >= MAX_UNUSED_OF_NETWORK;
  const excess = isFull ? own.length - MAX_UNUSED_OF_NETWORK : unused.length - MAX_UNUSED;
  await endRegistrations(services, (isFull ? own : unused).slice(0, Math.max(0, excess + 1)));
}

export async function endRegistrations(
  { programs }: Pick<RegistryServices, "programs">,
  registrations: Registration[],
) {
  for (const { key } of registrations) await programs.delete(key);
}
