import { z } from "@hono/zod-openapi";

import { removeTotp } from "../../access/totp/remove-totp.ts";
import { createUser } from "../../access/users/create-user.ts";
import { userBehind } from "../../access/users/own-credentials.ts";
import { removeUser, updateUser } from "../../access/users/update-user.ts";
import { asId, type UserId } from "../../core/ids.ts";
import { listUsers } from "../../db/access/user-store.ts";
import { all, Endpoints, time, timeOrNull } from "./request/endpoint.ts";
import { newUser, role, userPatch } from "../../access/users/user-input.ts";
import { given } from "../../core/input/given.ts";
import { createKey, newKey } from "../../access/keys/create-key.ts";
import { listKeys, removeKey } from "../../db/access/key-store.ts";
import { forbidden } from "../../core/errors.ts";
import { endSession, listSessions } from "../../db/access/session-store.ts";
import type { PanelCaller } from "../../access/sessions/find-panel-caller.ts";
import { sessionHashOf } from "./request/guards.ts";

const User = z.object({ id: z.string(), email: z.string(), role, createdAt: time }).openapi("User");

export const userRoutes = new Endpoints("users")
  .list("get /users", "Users. Everybody who can sign in.", { item: User }, ({ services, paging }) =>
    listUsers(services.db, paging),
  )
  .json(
    "post /users",
    "Add a user. The password has at least 12 characters and is not a common one.",
    { body: newUser, answer: User, status: 201, errors: [409] },
    ({ services, body }) => createUser(services, body),
  )
  .json(
    "patch /users/{id}",
    "Change a user. A new password or role ends their sessions.",
    { body: userPatch, answer: User, errors: [409] },
    ({ services, caller, key, body }) =>
      updateUser(services, { id: key, patch: given(body), by: userBehind(caller) }),
  )
  .empty(
    "delete /users/{id}",
    "Remove a user. Their sessions and keys end.",
    { errors: [409] },
    ({ services, key }) => removeUser(services, { id: key }),
  )
  .empty(
    "delete /users/{id}/totp",
    "Remove a user's second factor. For a user who lost the app and the recovery codes.",
    {},
    ({ services, caller, key }) =>
      removeTotp(services, { userId: asId(key), by: userBehind(caller) }),
  ).app;

const shownKey = {
  id: z.string(),
  name: z.string(),
  role,
  createdAt: time,
  createdBy: z.string(),
  expiresAt: timeOrNull,
};

export const keyRoutes = new Endpoints("users")
  .list(
    "get /keys",
    "Automation keys. With the creator of each. A key ends with its creator.",
    { item: z.object({ ...shownKey, createdByEmail: z.string() }).openapi("Key") },
    ({ services, paging }) => listKeys(services.db, paging),
  )
  .json(
    "post /keys",
    "Create a key. It is shown only once.",
    {
      body: newKey,
      answer: z.object({ ...shownKey, key: z.string() }).openapi("CreatedKey"),
      status: 201,
    },
    async ({ services, caller, body }) => {
      const createdBy = caller.kind === "key" ? caller.createdBy : caller.session.userId;
      const { key, secret } = await createKey(services, { ...body, createdBy });
      return { ...key, key: secret };
    },
  )
  .empty("delete /keys/{id}", "Remove a key. It stops working at once.", {}, ({ services, key }) =>
    removeKey(services.db, asId(key)),
  ).app;

/** Whose sessions the caller may see and end: null for everybody's. */
function reachOf(caller: PanelCaller): UserId | null {
  if (caller.role === "admin") return null;
  if (caller.kind === "session") return caller.session.userId;
  throw forbidden();
}

const OpenSession = z
  .object({
    ...all(z.string(), "id", "userId", "email"),
    address: z.string().nullable(),
    userAgent: z.string().nullable(),
    createdAt: time,
    lastSeenAt: time,
    current: z.boolean(),
  })
  .openapi("OpenSession");

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
  .empty(
    "delete /sessions/{id}",
    "End a session. The user must sign in again there.",
    {},
    ({ services, caller, key }) => endSession(services.db, key, reachOf(caller)),
  ).app;
