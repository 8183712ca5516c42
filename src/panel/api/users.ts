import { z } from "@hono/zod-openapi";

import { removeTotp } from "../../access/totp/remove-totp.ts";
import { createUser } from "../../access/users/create-user.ts";
import { userBehind } from "../../access/users/own-credentials.ts";
import { removeUser, updateUser } from "../../access/users/update-user.ts";
import { asId } from "../../core/ids.ts";
import { listUsers } from "../../db/access/user-store.ts";
import { Endpoints, time } from "./request/endpoint.ts";
import { newUser, role, userPatch } from "../../access/users/user-input.ts";
import { given } from "../../core/input/given.ts";

const Shown = z
  .object({ id: z.string(), email: z.string(), role, createdAt: time })
  .openapi("User");

export const userRoutes = () =>
  new Endpoints("users")
    .list(
      "get /users",
      "Users. Everybody who can sign in.",
      { item: Shown },
      ({ services, paging }) => listUsers(services.db, paging),
    )
    .json(
      "post /users",
      "Add a user. The password has at least 12 characters and is not a common one.",
      { body: newUser, answer: Shown, status: 201, errors: [409] },
      ({ services, body }) => createUser(services, body),
    )
    .json(
      "patch /users/{id}",
      "Change a user. A new password or role ends their sessions.",
      { body: userPatch, answer: Shown, errors: [409] },
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
