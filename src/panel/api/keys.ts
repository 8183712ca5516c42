import { Hono } from "hono";
import { z } from "zod";

import { createKey, type AutomationKey } from "../../access/keys/create-key.ts";
import { asId } from "../../core/ids.ts";
import { listKeys, removeKey } from "../../db/access/key-store.ts";
import { isoTime } from "../../core/time.ts";
import { jsonBody } from "../../http/middleware/json-body.ts";
import { futureTime, name, role } from "./request/fields.ts";
import type { PanelEnv } from "./request/panel-env.ts";
import { bodyOf, pageOf, pagingOf } from "./request/read-request.ts";

export const newKey = (now: number) => z.object({ name, role, expiresAt: futureTime(now) });

const shown = (key: AutomationKey) => ({
  id: key.id,
  name: key.name,
  role: key.role,
  createdAt: isoTime(key.createdAt),
  createdBy: key.createdBy,
  expiresAt: key.expiresAt === null ? null : isoTime(key.expiresAt),
});

type Listed = AutomationKey & { createdByEmail: string };

/** The maker's name is shown too: a key ends with its maker. */
const shownListed = ({ createdByEmail, ...key }: Listed) => ({ ...shown(key), createdByEmail });

export function keyRoutes(): Hono<PanelEnv> {
  const app = new Hono<PanelEnv>();

  app.get("/", async (context) => {
    const paging = pagingOf(context.req);
    return context.json(
      pageOf(await listKeys(context.get("services").db, paging), paging, shownListed),
    );
  });

  app.post("/", jsonBody(), async (context) => {
    const services = context.get("services");
    const input = await bodyOf(context.req, newKey(services.now()));
    const caller = context.get("caller");
    const createdBy = caller.kind === "key" ? caller.createdBy : caller.session.userId;
    const { key, secret } = await createKey(services, { ...input, createdBy });
    return context.json({ ...shown(key), key: secret }, 201);
  });

  app.delete("/:id", async (context) => {
    await removeKey(context.get("services").db, asId(context.req.param("id")));
    return context.body(null, 204);
  });
  return app;
}
