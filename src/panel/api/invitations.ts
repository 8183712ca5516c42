import { z } from "@hono/zod-openapi";

import { invitePerson, withdraw } from "../../access/users/invitations.ts";
import { newInvitation, role } from "../../access/users/user-input.ts";
import { requireFound } from "../../core/errors.ts";
import * as store from "../../db/access/invitation-store.ts";
import { baseUrlOf } from "../../http/client-address.ts";
import type { Services } from "../../services.ts";
import { action } from "../action.ts";
import { fieldsOfKind, Endpoints, time, schema } from "./request/endpoint.ts";
import type { Address } from "./request/route.ts";

const fields = {
  ...fieldsOfKind(z.string(), "id", "email"),
  role,
  state: z.enum(store.INVITATION_STATES),
  ...fieldsOfKind(time, "createdAt", "expiresAt"),
};

export const findListedInvitation = async ({ db, now }: Services, { key }: Address) =>
  requireFound(await store.findInvitation(db, key, now()));

export const invitationCreation = action({
  name: "invitations.create",
  about:
    "Invite a person. `link` is shown only once and is good for three days, once: the person chooses a password, or signs in with the provider. It replaces an earlier one.",
  body: newInvitation,
  errors: [409],
  work: async ({ context, services, body, id }) => {
    const { code, ...invitation } = await invitePerson(services, { ...body, id });
    const base = baseUrlOf(services.config, context.req.raw);
    return { ...invitation, link: `${base}/panel/invitation?code=${code}` };
  },
  answer: schema("CreatedInvitation", { ...fields, link: z.string() }),
});

export const invitationRemoval = action({
  name: "invitations.remove",
  about: "Withdraw an invitation. Its link says so.",
  find: findListedInvitation,
  errors: [409],
  work: ({ services, subject }) => withdraw(services, subject),
  previousValues: ({ email }) => ({ email }),
  notice: "The invitation is withdrawn.",
});

export const invitationRoutes = new Endpoints("users")
  .list(
    "get /invitations",
    "Invitations of the last month. For administrators; never with their links.",
    { item: schema("Invitation", fields), by: "admins" },
    ({ services: { db, now }, paging }) => store.listInvitations(db, now(), paging),
  )
  .action(invitationCreation)
  .action(invitationRemoval).app;
