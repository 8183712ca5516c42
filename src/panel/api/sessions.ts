import { z } from "@hono/zod-openapi";

import { forbidden } from "../../core/errors.ts";
import type { UserId } from "../../core/ids.ts";
import { endSession, listSessions } from "../../db/access/session-store.ts";
import type { PanelCaller } from "../../access/sessions/find-panel-caller.ts";
import { sessionHashOf } from "./request/guards.ts";
import { Endpoints, time } from "./request/endpoint.ts";

/** Whose sessions the caller may see and end: null for everybody's. */
function reachOf(caller: PanelCaller): UserId | null {
  if (caller.role === "admin") return null;
  if (caller.kind === "session") return caller.session.userId;
  throw forbidden();
}

const Shown = z
  .object({
    id: z.string(),
    userId: z.string(),
    email: z.string(),
    address: z.string().nullable(),
    userAgent: z.string().nullable(),
    createdAt: time,
    lastSeenAt: time,
    current: z.boolean(),
  })
  .openapi("OpenSession");

/** Where users are signed in: everybody sees and ends their own, an administrator all. */
export const openSessionRoutes = () =>
  new Endpoints("users")
    .list(
      "get /sessions",
      "Open sessions. Your own sessions; administrators see all.",
      { item: Shown },
      async ({ context, services, caller, paging }) => {
        const slice = { userId: reachOf(caller), ...paging };
        const { data, total } = await listSessions(services.db, slice, services.now());
        const current = await sessionHashOf(context);
        return {
          data: data.map((session) =>
            Object.assign(session, { current: session.hash === current }),
          ),
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
