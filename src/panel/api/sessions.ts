import { Hono } from "hono";

import { sessionHashIn } from "../../access/sessions/session-cookie.ts";
import { isoTime } from "../../core/time.ts";
import { forbidden } from "../../core/errors.ts";
import type { UserId } from "../../core/ids.ts";
import { endSession, listSessions, type SessionRow } from "../../db/access/session-store.ts";
import { isHttps } from "../../http/base-url.ts";
import type { PanelCaller } from "../../access/sessions/find-panel-caller.ts";
import type { PanelEnv } from "./request/panel-env.ts";
import { pageOf, pagingOf } from "./request/read-request.ts";

/** Whose sessions the caller may see and end: null for everybody's. */
function reachOf(caller: PanelCaller): UserId | null {
  if (caller.role === "admin") return null;
  if (caller.kind === "session") return caller.session.userId;
  throw forbidden();
}

const shownTo =
  (currentHash: string | null) =>
  ({ hash, createdAt, lastSeenAt, ...session }: SessionRow) => ({
    ...session,
    createdAt: isoTime(createdAt),
    lastSeenAt: isoTime(lastSeenAt),
    current: hash === currentHash,
  });

/** Where users are signed in: everybody sees and ends their own, an administrator all. */
export function openSessionRoutes(): Hono<PanelEnv> {
  const app = new Hono<PanelEnv>();

  app.get("/", async (context) => {
    const services = context.get("services");
    const paging = pagingOf(context.req);
    const userId = reachOf(context.get("caller"));
    const listed = await listSessions(services.db, { userId, ...paging }, services.now());
    const secure = isHttps(services.config, context.req.raw);
    const current = await sessionHashIn(context.req.header("Cookie") ?? null, secure);
    return context.json(pageOf(listed, paging, shownTo(current)));
  });

  app.delete("/:id", async (context) => {
    const userId = reachOf(context.get("caller"));
    await endSession(context.get("services").db, context.req.param("id"), userId);
    return context.body(null, 204);
  });
  return app;
}
