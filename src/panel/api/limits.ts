import { z } from "@hono/zod-openapi";

import { changeLimit, newLimit, putLimit, readLimits } from "../../catalog/limits/limit-verbs.ts";
import { requireFound } from "../../core/errors.ts";
import type { Services } from "../../services.ts";
import { action } from "../action.ts";
import { fieldsOfKind, Endpoints, time } from "./request/endpoint.ts";

const name = z.string().optional();
const Limit = newLimit
  .extend({
    id: z.string(),
    subject: newLimit.shape.subject.extend({ identifier: name, name }),
    ...fieldsOfKind(z.number(), "used", "reserved"),
    refusedCost: z
      .number()
      .describe("The most that a call could cost which was refused with most of the limit left."),
    ...fieldsOfKind(time, "resetsAt", "createdAt"),
    unpriced: z.array(z.string()).describe("Models in use without a price in USD count nothing."),
  })
  .openapi("Limit");

export const findLimit = async (services: Services, { key }: { key: string }) =>
  requireFound((await readLimits(services)).find(({ id }) => id === key));

export const limitCreation = action({
  name: "limits.create",
  about:
    "Limit what is spent. It counts from now on. `subject.id` is an id or identifier, or a person's address. A limit of the same subject, unit and period gets the amount.",
  body: newLimit,
  errors: [409],
  work: ({ services, body, id }) => putLimit(services, body, id),
  answer: Limit,
  answerOf: (key, services) => findLimit(services, { key }),
  notice: "The limit holds from now on.",
});

const limitChange = action({
  name: "limits.change",
  about: "Change the amount of a limit. What is spent in this period stays counted.",
  find: findLimit,
  body: newLimit.pick({ amount: true }),
  work: async ({ services, subject, body: { amount } }) => {
    await changeLimit(services, subject, amount);
    return { ...subject, amount };
  },
  previousValues: ({ amount }) => ({ amount }),
  answer: Limit,
});

export const limitRemoval = action({
  name: "limits.remove",
  about: "Remove a limit. It ends within five seconds.",
  find: findLimit,
  work: ({ services, subject }) => changeLimit(services, subject, null),
  previousValues: ({ subject: { kind, id }, amount, unit, period }) => ({
    kind,
    id,
    amount,
    unit,
    period,
  }),
  notice: "The limit is removed.",
});

export const limitRoutes = new Endpoints("service")
  .list(
    "get /limits",
    "Spending limits. With what is used in this period, and reserved for model calls under way.",
    { item: Limit },
    ({ services }) => readLimits(services),
  )
  .action(limitCreation)
  .action(limitChange)
  .action(limitRemoval).app;
