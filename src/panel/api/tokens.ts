import { Hono } from "hono";
import { z } from "zod";

import { createToken } from "../../access/tokens/create-token.ts";
import { listTokens, removeToken, type AccessToken } from "../../db/access/token-store.ts";
import { isoTime } from "../../core/time.ts";
import { jsonBody } from "../../http/middleware/json-body.ts";
import { futureTime, name } from "./request/fields.ts";
import { asId, IDENTIFIER_MAX_LENGTH } from "../../core/ids.ts";
import type { PanelEnv } from "./request/panel-env.ts";
import { bodyOf, pageOf, pagingOf } from "./request/read-request.ts";

const GROUP_MAX = 1_000;

const group = z
  .array(z.string().max(IDENTIFIER_MAX_LENGTH))
  .max(GROUP_MAX)
  .refine((names) => names.length === 1 || !names.includes("*"), "must hold * alone or not at all")
  .default([]);

export const newToken = (now: number) =>
  z.object({
    name,
    agents: group,
    inferences: group,
    rags: group,
    manageScopes: z.boolean().default(true),
    expiresAt: futureTime(now),
  });

const time = (ms: number | null) => (ms === null ? null : isoTime(ms));

const shown = (token: AccessToken) => ({
  id: token.id,
  name: token.name,
  agents: token.agents,
  inferences: token.inferences,
  rags: token.rags,
  manageScopes: token.manageScopes,
  createdAt: isoTime(token.createdAt),
  expiresAt: time(token.expiresAt),
  lastUsedAt: time(token.lastUsedAt),
});

export function tokenRoutes(): Hono<PanelEnv> {
  const app = new Hono<PanelEnv>();

  app.get("/", async (context) => {
    const paging = pagingOf(context.req);
    return context.json(
      pageOf(await listTokens(context.get("services").db, paging), paging, shown),
    );
  });

  app.post("/", jsonBody(), async (context) => {
    const services = context.get("services");
    const input = await bodyOf(context.req, newToken(services.now()));
    const { token, secret } = await createToken(services, input);
    return context.json({ ...shown(token), token: secret }, 201);
  });

  app.delete("/:id", async (context) => {
    await removeToken(context.get("services").db, asId(context.req.param("id")));
    return context.body(null, 204);
  });
  return app;
}
