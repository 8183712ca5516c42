import { z } from "@hono/zod-openapi";

import { createKey, newKey } from "../../access/keys/create-key.ts";
import { asId } from "../../core/ids.ts";
import { listKeys, removeKey } from "../../db/access/key-store.ts";
import { Endpoints, time, timeOrNull } from "./request/endpoint.ts";
import { role } from "../../access/users/user-input.ts";

const shown = {
  id: z.string(),
  name: z.string(),
  role,
  createdAt: time,
  createdBy: z.string(),
  expiresAt: timeOrNull,
};

export const keyRoutes = () =>
  new Endpoints("users")
    .list(
      "get /keys",
      "Automation keys. With the creator of each. A key ends with its creator.",
      { item: z.object({ ...shown, createdByEmail: z.string() }).openapi("Key") },
      ({ services, paging }) => listKeys(services.db, paging),
    )
    .json(
      "post /keys",
      "Create a key. It is shown only once.",
      {
        body: newKey,
        answer: z.object({ ...shown, key: z.string() }).openapi("NewKey"),
        status: 201,
      },
      async ({ services, caller, body }) => {
        const createdBy = caller.kind === "key" ? caller.createdBy : caller.session.userId;
        const { key, secret } = await createKey(services, { ...body, createdBy });
        return { ...key, key: secret };
      },
    )
    .empty(
      "delete /keys/{id}",
      "Remove a key. It stops working at once.",
      {},
      ({ services, key }) => removeKey(services.db, asId(key)),
    ).app;
