import { Hono } from "hono";
import { z } from "zod";

import { createUser, type User } from "../../access/users/create-user.ts";
import { listUsers } from "../../db/access/user-store.ts";
import { removeUser } from "../../access/users/remove-user.ts";
import { updateUser } from "../../access/users/update-user.ts";
import { removeTotp } from "../../access/totp/remove-totp.ts";
import { asId } from "../../core/ids.ts";
import { isoTime } from "../../core/time.ts";
import { jsonBody } from "../../http/middleware/json-body.ts";
import { email, password, role } from "./request/fields.ts";
import type { PanelEnv } from "./request/panel-env.ts";
import { bodyOf, given, pageOf, pagingOf } from "./request/read-request.ts";

export const newUser = z.object({ email, password, role });
export const userPatch = newUser.partial();

const shown = ({ id, createdAt, ...user }: User) => ({
  id,
  email: user.email,
  role: user.role,
  createdAt: isoTime(createdAt),
});

export function userRoutes(): Hono<PanelEnv> {
  const app = new Hono<PanelEnv>();

  app.get("/", async (context) => {
    const paging = pagingOf(context.req);
    return context.json(pageOf(await listUsers(context.get("services").db, paging), paging, shown));
  });

  app.post("/", jsonBody(), async (context) => {
    const input = await bodyOf(context.req, newUser);
    return context.json(shown(await createUser(context.get("services"), input)), 201);
  });

  app.patch("/:id", jsonBody(), async (context) => {
    const patch = given(await bodyOf(context.req, userPatch));
    const user = await updateUser(context.get("services"), { id: context.req.param("id"), patch });
    return context.json(shown(user));
  });

  app.delete("/:id/totp", async (context) => {
    await removeTotp(context.get("services"), { userId: asId(context.req.param("id")) });
    return context.body(null, 204);
  });

  app.delete("/:id", async (context) => {
    await removeUser(context.get("services"), { id: context.req.param("id") });
    return context.body(null, 204);
  });
  return app;
}
