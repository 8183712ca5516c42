import { z } from "@hono/zod-openapi";

import * as endpoints from "../../catalog/event-endpoints/endpoints.ts";
import { sendDelivery } from "../../catalog/event-endpoints/send-events.ts";
import { requireFound } from "../../core/errors.ts";
import { omitUndefined } from "../../core/input/omit-undefined.ts";
import { storedSettings } from "../../core/input/setting-fields.ts";
import { isoTime } from "../../core/time.ts";
import * as store from "../../db/catalog/event-store.ts";
import type { Services } from "../../services.ts";
import { action } from "../action.ts";
import { fieldsOfKind, Endpoints, pageOf, time, timeOrNull, schema } from "./request/endpoint.ts";
import type { Address } from "./request/route.ts";

const Settings = storedSettings(endpoints.newEndpoint);
const fields = { id: z.string(), ...Settings.shape, failingSince: timeOrNull };
const Endpoint = schema("EventEndpoint", fields);

const Delivery = schema("EventDelivery", {
  ...fieldsOfKind(z.string(), "id", "type", "body"),
  status: z.enum(["waiting", "delivered", "failed"]),
  createdAt: time,
  tries: z.int(),
  nextAt: timeOrNull.describe("The next try, if it waits."),
  answer: z.string().nullable().describe("Status of the last answer, or why there is none."),
});

const answerOf = (delivery: store.Delivery) => ({
  ...delivery,
  nextAt: delivery.status === "waiting" ? delivery.nextAt : null,
});

export const findEventEndpoint = async ({ db }: Services, { key }: Pick<Address, "key">) =>
  requireFound(await store.findEndpoint(db, key));

const ofEndpoint = { find: findEventEndpoint };

export const endpointCreation = action({
  name: "event-endpoints.create",
  about: "Add an endpoint of events. The secret is shown only once.",
  body: endpoints.newEndpoint,
  work: ({ services, body, id }) => endpoints.createEndpoint(services, body, id),
  answer: schema("CreatedEventEndpoint", { ...fields, secret: z.string() }),
});

export const endpointChange = action({
  name: "event-endpoints.change",
  about: "Change an endpoint. Enabled again, it is sent what happens from then on.",
  ...ofEndpoint,
  body: Settings.partial(),
  work: ({ services, subject, body }) =>
    endpoints.changeEndpoint(services, subject, omitUndefined(body)),
  previousValues: (endpoint) => Settings.parse(endpoint),
  answer: Endpoint,
  notice: "The endpoint is saved.",
});

export const endpointRemoval = action({
  name: "event-endpoints.remove",
  about: "Remove an endpoint. With its deliveries.",
  ...ofEndpoint,
  work: ({ services: { db }, subject: { id } }) => store.deleteEndpoint(db, id),
  previousValues: ({ url }) => ({ url }),
});

export const secretRenewal = action({
  name: "event-endpoints.secret",
  about: "Renew the secret. Shown only once; for a day, the previous one signs as well.",
  ...ofEndpoint,
  work: ({ services, subject }) => endpoints.renewSecret(services, subject),
  answer: z.object({ secret: z.string() }),
  answerOf: (secret) => ({ secret }),
});

/** Sends a delivery now. @throws QuarryError `not-found` */
async function sendNow(services: Services, endpoint: store.EventEndpoint, id: string) {
  const find = async () => requireFound(await store.findDelivery(services.db, endpoint, id));
  await sendDelivery(services, endpoint, await find());
  return answerOf(await find());
}

export const endpointTest = action({
  name: "event-endpoints.test",
  about: "Send `endpoint.test`. Waits for the answer, without further tries.",
  ...ofEndpoint,
  work: async ({ services, subject, id }) => {
    const [type, createdAt] = ["endpoint.test", services.now()];
    const body = JSON.stringify({ type, timestamp: isoTime(createdAt), data: {} });
    const row = { id: `evt_${id}`, endpointId: subject.id, type, body, createdAt };
    await store.insertDelivery(services.db, { ...row, status: "failed", nextAt: createdAt });
    return await sendNow(services, subject, row.id);
  },
  answer: Delivery,
});

export const deliveryResend = action({
  name: "event-endpoints.resend",
  route: "post /event-endpoints/{id}/deliveries/{delivery}/resend",
  about: "Send a delivery again. Waits for the answer; with the same `webhook-id`.",
  find: async (services, { param, ...address }) =>
    [await findEventEndpoint(services, address), param("delivery")] as const,
  work: ({ services, subject }) => sendNow(services, ...subject),
  target: ([{ id }, delivery]) => `${id}/${delivery}`,
  answer: Delivery,
});

export const eventEndpointRoutes = new Endpoints("service", findEventEndpoint)
  .list(
    "get /event-endpoints",
    "Endpoints of events. For administrators; never with their secrets.",
    { item: Endpoint, by: "admins" },
    ({ services: { db } }) => store.listEndpoints(db),
  )
  .list(
    "get /event-endpoints/{id}/deliveries",
    "The last 200 deliveries. For administrators; the newest first.",
    { item: Delivery, by: "admins" },
    async ({ services: { db }, subject, paging }) =>
      pageOf(await store.listDeliveries(db, subject, paging), answerOf),
  )
  .action(endpointCreation)
  .action(endpointChange)
  .action(endpointRemoval)
  .action(secretRenewal)
  .action(endpointTest)
  .action(deliveryResend).app;
