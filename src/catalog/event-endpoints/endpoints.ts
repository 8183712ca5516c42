import { z } from "zod";

import { seal, unseal } from "../../access/seal.ts";
import { invalidField, requireFound } from "../../core/errors.ts";
import type { Given } from "../../core/input/omit-undefined.ts";
import { attempt } from "../../core/log.ts";
import { DAY_MS } from "../../core/time.ts";
import { insertEndpoint, updateEndpoint } from "../../db/catalog/event-store.ts";
import type { EventEndpoint } from "../../db/catalog/event-store.ts";
import { findRagIds } from "../../db/catalog/rag-writes.ts";
import type { Services } from "../../services.ts";
import { guardUrl, httpAddress } from "../../sources/guarded-url.ts";

const TYPES =
  "file.indexed file.failed file.removed scan.finished scan.failed source.removals_held source.watch_failed rag.rebuilt rag.paused limit.warning limit.reached evaluation.finished export.finished";

/** The settings of an endpoint. */
export const newEndpoint = z.object({
  url: httpAddress.meta({ label: "URL" }),
  events: z
    .array(z.enum(["*", ...TYPES.split(" ")]))
    .min(1)
    .default(["*"])
    .meta({ label: "Events", hint: `One a line; * for all. ${TYPES}` }),
  ragIdentifiers: z.array(z.string()).max(1_000).default([]).meta({
    label: "Only of these RAGs",
    hint: "Identifiers, one a line. If empty, all events are sent, those of no RAG included.",
  }),
  enabled: z.boolean().default(true).meta({ label: "Enabled" }),
});
type Settings = z.output<typeof newEndpoint>;

type EndpointServices = Pick<Services, "config" | "db" | "log" | "now" | "wakeSender">;

/** The specification asks for 24 to 64. */
const SECRET_BYTES = 32;

async function sealedSecret({ config }: Pick<Services, "config">) {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  const secret = `whsec_${Buffer.from(bytes).toString("base64")}`;
  return { secret, sealedSecret: await seal(config, secret) };
}

/** `secret` is returned only here. @throws QuarryError `invalid` */
export async function createEndpoint(services: EndpointServices, settings: Settings, id: string) {
  refusePrivate(services, settings);
  await refuseAbsentRags(services, settings);
  const { secret, ...sealed } = await sealedSecret(services);
  await insertEndpoint(services.db, { ...settings, ...sealed, id });
  await wake(services, id);
  return { ...settings, id, failingSince: null, secret };
}

/** The count of failures starts over. @throws QuarryError `invalid` */
export async function changeEndpoint(
  services: EndpointServices,
  { id, ...before }: EventEndpoint,
  patch: Given<Settings>,
) {
  refusePrivate(services, patch);
  // A RAG may be removed meanwhile; its name stays, since an empty list means all events.
  const earlier = before.enabled ? before.ragIdentifiers : [];
  await refuseAbsentRags(services, { ...before, ...patch }, earlier);
  const endpoint = await updateEndpoint(services.db, id, { ...patch, failingSince: null });
  await wake(services, id);
  return requireFound(endpoint);
}

/** Where it fails, the sweep wakes it: the endpoint is written, and a secret is shown but once. */
const wake = ({ log, wakeSender }: EndpointServices, endpointId: string) =>
  attempt(log, "event sender not woken", { endpointId }, () => wakeSender(endpointId));

/** The guard refuses it at each try, too. */
function refusePrivate(
  { config }: EndpointServices,
  { url = "http://example.com" }: Partial<Settings>,
) {
  const verdict = guardUrl(url, undefined, config.ALLOW_PRIVATE_URLS);
  if (!verdict.ok) throw invalidField("url", `: ${verdict.reason}`);
}

/** A disabled endpoint, such as an imported one, may name RAGs that are made later. */
async function refuseAbsentRags(
  { db }: EndpointServices,
  { enabled, ragIdentifiers }: Settings,
  earlier: string[] = [],
) {
  const rags = await findRagIds(db, ragIdentifiers);
  const names = new Set([...earlier, ...rags.map(({ identifier }) => identifier)]);
  const absent = enabled ? ragIdentifiers.filter((name) => !names.has(name)) : [];
  if (absent.length === 0) return;
  throw invalidField("ragIdentifiers", `: there is no ${absent.join(", ")}`);
}

const PREVIOUS_SECRETS = 3;

/** Signs for a day after it was renewed; renewed again meanwhile, all that receivers may have. */
export async function previousSecrets(
  { config, now }: Pick<Services, "config" | "now">,
  { sealedPreviousSecret: sealed, previousUntil }: EventEndpoint,
): Promise<string[]> {
  const isOver = sealed === null || now() >= previousUntil;
  return isOver ? [] : (await unseal(config, sealed)).split(" ");
}

/**
 * Returns a new secret, only here; for a day, the previous ones sign as well, if the key that
 * sealed them is not lost.
 */
export async function renewSecret(services: EndpointServices, endpoint: EventEndpoint) {
  const { config, db, now } = services;
  const { secret, ...sealed } = await sealedSecret(services);
  const latest = unseal(config, endpoint.sealedSecret);
  const previous = await Promise.all([latest, previousSecrets(services, endpoint)]).catch(() => []);
  const secrets = previous.flat().slice(0, PREVIOUS_SECRETS).join(" ");
  await updateEndpoint(db, endpoint.id, {
    ...sealed,
    sealedPreviousSecret: secrets === "" ? null : await seal(config, secrets),
    previousUntil: now() + DAY_MS,
  });
  return secret;
}
