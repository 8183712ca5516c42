import { Hono } from "hono";
import { z } from "zod";

import { createKey, type AutomationKey } from "../../access/keys/create-key.ts";
import { listKeys } from "../../access/keys/list-keys.ts";
import { removeKey } from "../../access/keys/remove-key.ts";
import { isoTime } from "../../core/clock.ts";
import { jsonBody } from "../../http/middleware/json-body.ts";
import { futureTime, name, role } from "./fields.ts";
import type { PanelEnv } from "./panel-env.ts";
import { bodyOf, pageOf, pagingOf } from "./read-request.ts";

const newKey = (now: number) => z.object({ name, role, expiresAt: futureTime(now) });

const shown = ({ id, name: label, role: rights, createdAt, expiresAt }: AutomationKey) => ({
  id,
  name: label,
  role: rights,
  createdAt: isoTime(createdAt),
  expiresAt: expiresAt === null ? null : isoTime(expiresAt),
});

export function keyRoutes(): Hono<PanelEnv> {
  const app = new Hono<PanelEnv>();

  app.get("/", async (context) => {
    const paging = pagingOf(context.req);
    return context.json(pageOf(await listKeys(context.get("services"), paging), paging, shown));
  });

  app.post("/", jsonBody(), async (context) => {
    const services = context.get("services");
    const input = await bodyOf(context.req, newKey(services.now()));
    const { key, secret } = await createKey(services, input);
    return context.json({ ...shown(key), key: secret }, 201);
  });

  app.delete("/:id", async (context) => {
    await removeKey(context.get("services"), { id: context.req.param("id") });
    return context.body(null, 204);
  });
  return app;
}
