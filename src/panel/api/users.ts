import { z } from "@hono/zod-openapi";

import { createKey, newKey } from "../../access/keys/create-key.ts";
import type { PanelCaller } from "../../access/sessions/find-panel-caller.ts";
import { removeTotp } from "../../access/totp/change-totp.ts";
import { createUser, removeUser, updateUser } from "../../access/users/change-user.ts";
import { userOfCaller } from "../../access/users/own-credentials.ts";
import { newUser, role, userPatch } from "../../access/users/user-input.ts";
import { forbidden, requireFound } from "../../core/errors.ts";
import { asId, type UserId } from "../../core/ids.ts";
import { omitUndefined } from "../../core/input/omit-undefined.ts";
import { findListedKey, listKeys, removeKey } from "../../db/access/key-store.ts";
import { endSession, listSessions } from "../../db/access/session-store.ts";
import { findPerson, listUsers } from "../../db/access/user-store.ts";
import type { Services } from "../../services.ts";
import { action } from "../action.ts";
import { fieldsOfKind, Endpoints, time, timeOrNull, schema } from "./request/endpoint.ts";
import { sessionHashOf } from "./request/guards.ts";
import type { Address } from "./request/route.ts";

const User = schema("User", { id: z.string(), email: z.string(), role, createdAt: time });

export const findUser = async ({ db }: Services, { key }: Address) =>
  requireFound(await findPerson(db, asId(key)));

export const userCreation = action({
  name: "users.create",
  about: "Add a user. The password has at least 12 characters and is not a common one.",
  body: newUser,
  errors: [409],
  work: ({ services, body, id }) => createUser(services, body, asId(id)),
  answer: User,
  notice: ({ email }) => `${email} can sign in now.`,
});

export const userChange = action({
  name: "users.change",
  about: "Change a user. A new password or role ends their sessions.",
  find: findUser,
  body: userPatch,
  errors: [409],
  work: ({ services, caller, subject, body }) =>
    updateUser(services, { id: subject.id, patch: omitUndefined(body), by: userOfCaller(caller) }),
  previousValues: ({ email, role }) => ({ email, role }),
  answer: User,
  notice: "The user is saved.",
});

export const userRemoval = action({
  name: "users.remove",
  about: "Remove a user. Their sessions and keys end.",
  find: findUser,
  errors: [409],
  work: ({ services, subject: { id } }) => removeUser(services, { id }),
  previousValues: ({ email }) => ({ email }),
  notice: (_none, { email }) => `${email} is removed.`,
});

export const totpRemoval = action({
  name: "users.totp.remove",
  route: "delete /users/{id}/totp",
  about: "Remove a user's second factor. For a user who lost the app and the recovery codes.",
  find: findUser,
  work: ({ services, caller, subject: { id: userId } }) =>
    removeTotp(services, { userId, by: userOfCaller(caller) }),
  notice: "Their second factor is off.",
});

export const userRoutes = new Endpoints("users")
  .list("get /users", "Users. Everybody who can sign in.", { item: User }, ({ services, paging }) =>
    listUsers(services.db, paging),
  )
  .action(userCreation)
  .action(userChange)
  .action(userRemoval)
  .action(totpRemoval).app;

const shownKey = {
  ...fieldsOfKind(z.string(), "id", "name"),
  role,
  createdAt: time,
  createdBy: z.string(),
  expiresAt: timeOrNull,
};

export const keyCreation = action({
  name: "keys.create",
  about: "Create a key. It is shown only once.",
  body: ({ now }) => newKey(now),
  work: ({ services, caller, body, id }) =>
    createKey(services, { ...body, createdBy: userOfCaller(caller), id: asId(id) }),
  answer: schema("CreatedKey", { ...shownKey, key: z.string() }),
  answerOf: ({ key, secret }) => ({ ...key, key: secret }),
});

export const findKey = async ({ db }: Services, { key }: Address) =>
  requireFound(await findListedKey(db, key));

export const keyRemoval = action({
  name: "keys.remove",
  about: "Remove a key. It stops working at once.",
  find: findKey,
  work: ({ services, subject: { id } }) => removeKey(services.db, id),
  notice: (_none, { name }) => `${name} is removed and has stopped working.`,
});

export const keyRoutes = new Endpoints("users")
  .list(
    "get /keys",
    "Automation keys. With the creator of each. A key ends with its creator.",
    { item: schema("Key", { ...shownKey, createdByEmail: z.string() }) },
    ({ services, paging }) => listKeys(services.db, paging),
  )
  .action(keyCreation)
  .action(keyRemoval).app;

/** Whose sessions the caller may see and end: null for everybody's. */
function reachOf(caller: PanelCaller): UserId | null {
  if (caller.role === "admin") return null;
  if (caller.kind === "session") return caller.session.userId;
  throw forbidden();
}

const OpenSession = schema("OpenSession", {
  ...fieldsOfKind(z.string(), "id", "userId", "email"),
  ...fieldsOfKind(z.string().nullable(), "address", "userAgent"),
  ...fieldsOfKind(time, "createdAt", "lastSeenAt"),
  current: z.boolean(),
});

export const sessionEnd = action({
  name: "sessions.remove",
  about: "End a session. The user must sign in again there.",
  by: "members",
  find: (_services, { key: id }) => ({ id }),
  work: ({ services, caller, subject: { id } }) => endSession(services.db, id, reachOf(caller)),
  notice: "The session has ended.",
});

/** Where users are signed in: everybody sees and ends their own, an administrator all. */
export const openSessionRoutes = new Endpoints("users")
  .list(
    "get /sessions",
    "Open sessions. Your own sessions; administrators see all.",
    { item: OpenSession },
    async ({ context, services, caller, paging }) => {
      const slice = { userId: reachOf(caller), ...paging };
      const { data, total } = await listSessions(services.db, slice, services.now());
      const current = await sessionHashOf(context);
      return {
        data: data.map((session) => Object.assign(session, { current: session.hash === current })),
        total,
      };
    },
  )
  .action(sessionEnd).app;
