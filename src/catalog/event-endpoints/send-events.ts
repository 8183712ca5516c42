import { unseal } from "../../access/seal.ts";
import { hmac } from "../../core/hash.ts";
import { attempt } from "../../core/log.ts";
import { SECOND_MS } from "../../core/time.ts";
import { mapParallel } from "../../core/work/parallel.ts";
import { GATHER_MS, recordTry, takeEvents } from "../../db/catalog/event-store.ts";
import type { Delivery, EventEndpoint } from "../../db/catalog/event-store.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import type { Services } from "../../services.ts";
import { guardedFetch } from "../../sources/guarded-fetch.ts";
import { outgoingOf } from "../../sources/open-source.ts";
import { previousSecrets } from "./endpoints.ts";

const ANSWER_MS = 10 * SECOND_MS;
/** No further try begins after this time: then new events are taken. */
const SLICE_MS = 10 * SECOND_MS;
const FIRST_RETRY_MS = 5 * SECOND_MS;
const RETRIES_AT_ONCE = 4;

type SenderServices = Pick<
  Services,
  "config" | "db" | "log" | "now" | "privateNetwork" | "requestRecords"
>;

/**
 * Takes new events of an endpoint and sends what is due: first tries in order, next to them further
 * tries. Who dies in between sends again, with the same id. Returns how long to wait, ms; null:
 * until it is enabled.
 */
export async function sendEvents(
  services: SenderServices,
  endpointId: string,
): Promise<number | null> {
  const { db, now } = services;
  const { endpoint, due } = await takeEvents(db, endpointId, now());
  if (endpoint === undefined) return null;
  const until = now() + SLICE_MS;
  let isOn = true;
  const send = async (delivery: Delivery) => {
    if (isOn && now() < until) isOn = await sendDelivery(services, endpoint, delivery);
  };
  const [first, further] = [due.filter(isFirst), due.filter((delivery) => !isFirst(delivery))];
  await Promise.all([mapParallel(first, 1, send), mapParallel(further, RETRIES_AT_ONCE, send)]);
  if (now() >= until) return 0;
  return due.length > 0 ? FIRST_RETRY_MS : GATHER_MS;
}

const isFirst = ({ tries }: Delivery) => tries === 0;

/** One try. Returns whether the endpoint is enabled after it. */
export async function sendDelivery(
  services: SenderServices,
  endpoint: EventEndpoint,
  delivery: Delivery,
): Promise<boolean> {
  const { db, log, now, requestRecords } = services;
  const answer = await post(services, endpoint, delivery);
  const isOn = await recordTry(db, delivery, now(), answer);
  const result = /^2\d\d$/.test(answer) ? "delivered" : "failed";
  const series = `quarry_event_deliveries_total{result="${result}"}`;
  await attempt(log, "delivery not counted", {}, () => requestRecords.count(series));
  return isOn;
}

/** The status of the answer, or why there is none. */
async function post(
  services: SenderServices,
  endpoint: EventEndpoint,
  { id, body }: Delivery,
): Promise<string> {
  const { config, log, now } = services;
  try {
    const latest = await unseal(config, endpoint.sealedSecret);
    const secrets = [latest, ...(await previousSecrets(services, endpoint))];
    const timestamp = String(Math.floor(now() / SECOND_MS));
    const signatures = secrets.map((secret) => signature(secret, `${id}.${timestamp}.${body}`));
    const { response } = await guardedFetch(outgoingOf(services), endpoint.url, {
      post: { body },
      headers: {
        "Content-Type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": (await Promise.all(signatures)).join(" "),
      },
      timeoutMs: ANSWER_MS,
      signal: new AbortController().signal,
    });
    await response.body?.cancel().catch(() => undefined);
    return String(response.status);
  } catch (thrown) {
    if (thrown instanceof SourceFailure) return thrown.message;
    log.error("event not sent", { delivery: id });
    return "the delivery could not be made";
  }
}

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
async function signature(secret: string, content: string): Promise<string> {
  const mac = await hmac(Buffer.from(secret.slice("whsec_".length), "base64"), content);
  return `v1,${mac.toString("base64")}`;
}
