import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { matchedRoutes } from "hono/route";

import type { AuditAction } from "../../access/audit/audit-actions.ts";
import {
  entryOf,
  newEventKey,
  recordEvent,
  recordRepeatedEvent,
  type AuditEntry,
  type NewEvent,
} from "../../access/audit/record-event.ts";
import type { Services } from "../../services.ts";
import type { AppEnv } from "../app-env.ts";
import { addressOf } from "../client-address.ts";

const FORBIDDEN = 403;
const TOO_MANY_REQUESTS = 429;
const FAILED_FROM = 400;
const MAX_TARGET_LENGTH = 500;

type AuditContext = Pick<Context<AppEnv>, "get" | "req">;

const ACTIONS = new WeakMap<object, AuditAction>();

/** A route's handler; what the guards before it refuse is recorded as its action, too. */
export function handlerOf<Handler extends object>(
  action: AuditAction | undefined,
  handler: Handler,
): Handler {
  if (action !== undefined) ACTIONS.set(handler, action);
  return handler;
}

/**
 * Records the action of a request, refused ones too, unless its change has recorded it. What the
 * rate limits refuse is not recorded: anyone could fill the trail with it.
 */
export const auditRequests = createMiddleware<AppEnv>(async (context, next) => {
  await next();
  await record(context, context.get("audit") ?? entryOfRefusal(context));
});

/** For pages: what strangers are refused has no end, and is not recorded. */
export const auditPages = createMiddleware<AppEnv>(async (context, next) => {
  await next();
  const isRefused = context.req.method === "POST" && context.res.status === FORBIDDEN;
  const refused = entryOfRefusal(context) ?? (isRefused ? { action: "panel.refused" } : undefined);
  const isKnown = context.get("actor") !== undefined;
  await record(context, context.get("audit") ?? (isKnown ? refused : undefined));
});

/** For a route of its own; `parameter` names its target, `status` the only one to be recorded. */
export const auditAs = (action: AuditAction, parameter: string, status?: number) =>
  createMiddleware<AppEnv>(async (context, next) => {
    const entry: AuditEntry = { action, target: context.req.param(parameter) ?? null };
    context.set("audit", entry);
    await next();
    // Strangers may name anything, unless only what exists is refused so.
    if (status === undefined && context.get("actor") === undefined) entry.target = null;
    if (status === undefined || context.res.status === status) await record(context, entry);
  });

/** The entry of a route that a guard before it refused. */
function entryOfRefusal(context: Context<AppEnv>): AuditEntry | undefined {
  if (context.res.status < FAILED_FROM) return undefined;
  const [action] = matchedRoutes(context).flatMap(({ handler }) => ACTIONS.get(handler) ?? []);
  return action === undefined ? undefined : { action };
}

/** Services whose first change in the database records the request's entry in its transaction. */
export function recordingServices(
  context: AuditContext,
  facts: Partial<AuditEntry>,
  status: number,
): Services {
  const services = context.get("services");
  const entry = context.get("audit");
  if (entry === undefined) return services;
  Object.assign(entry, facts);
  if (entry.files !== undefined) return services;
  const key = newEventKey(services.now());
  const statement = entryOf(eventOf(context, entry, status), key);
  entry.carried = { statement, isStored: false, key };
  return { ...services, db: { ...services.db, entry: entry.carried } };
}

function eventOf({ get, req }: AuditContext, entry: AuditEntry, status: number): NewEvent {
  const { action, target = null, changes = [] } = entry;
  return {
    actor: get("actor"),
    action,
    target: target?.slice(0, MAX_TARGET_LENGTH) ?? null,
    changes: status >= FAILED_FROM ? [] : changes,
    status,
    address: addressOf(get("services").config, req.raw),
    requestId: get("requestId"),
  };
}

async function record(context: Context<AppEnv>, entry: AuditEntry | undefined): Promise<void> {
  const { status } = context.res;
  const isStored = entry?.carried?.isStored === true;
  if (entry === undefined || (status === TOO_MANY_REQUESTS && !isStored)) return;
  const services = context.get("services");
  const event = eventOf(context, entry, status);
  const { files, carried } = entry;
  const isFailed = status >= FAILED_FROM;
  if (!isStored && (isFailed || files !== undefined)) {
    // A push of 10,000 files neither waits for the audit trail nor adds 10,000 events to it; nor
    // does what is refused: anybody can have that again and again.
    services.runInBackground(recordRepeatedEvent(services, event, files));
  } else if (carried === undefined) await recordEvent(services, event);
  else if (isFailed || !isStored) {
    carried.isStored = true;
    await recordEvent(services, event, { ...carried.key, isStored });
  }
}
