import type { Context } from "hono";
import { createMiddleware } from "hono/factory";

import { recordEvent, recordRepeated, type NewEvent } from "../../access/audit/record-event.ts";
import type { AppEnv } from "../app-env.ts";
import { addressOf } from "../client-address.ts";

const MAX_FIELDS = 30;
const FIELD_NAME = /^[A-Za-z]\w{0,63}$/;
const TARGET_KEPT = 500;
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const TOO_MANY_REQUESTS = 429;
const FAILED_FROM = 400;
/** These answer what a change would do, or what a search finds, and change nothing. */
const READ_BY_POST = new Set(["check", "estimate", "preview", "search"]);

/** The action of a request without a body, by its method. */
const VERBS: Record<string, string> = {
  POST: "create",
  PUT: "put",
  PATCH: "change",
  DELETE: "remove",
};

/**
 * Records every change below a prefix, failed ones too, after the answer: one event per request,
 * named after the route (`rags.create`, `file-sources.scan`). Only the names of a body's fields
 * are stored. Rate-limited requests are not recorded: anyone could fill the trail with them.
 */
export function audited(prefix: string) {
  return createMiddleware<AppEnv>(async (context, next) => {
    await next();
    const { method } = context.req;
    if (method === "GET" || method === "HEAD" || method === "OPTIONS") return;
    if (context.res.status === TOO_MANY_REQUESTS) return;
    const segments = pathBelow(prefix, context.req.path);
    const isRead = [segments[2], method === "POST" ? segments.at(-1) : undefined];
    if (!isRead.some((name) => READ_BY_POST.has(name ?? ""))) await recordChange(context, segments);
  });
}

/** The same for a route where only refused credentials are recorded; `action` names the event. */
export function auditedRefusal(prefix: string, action: string) {
  return createMiddleware<AppEnv>(async (context, next) => {
    await next();
    const refused = context.res.status === UNAUTHORIZED;
    if (refused) await recordChange(context, pathBelow(prefix, context.req.path), action);
  });
}

/** For pages, whose addresses do not name the changes: what the handler names. */
export const auditedPages = createMiddleware<AppEnv>(async (context, next) => {
  await next();
  const { status } = context.res;
  // Anybody can be refused: without an actor there is nothing to tell, and no end to it.
  const isKnown = context.get("actor") !== undefined;
  const isRefused = isKnown && context.req.method === "POST" && status === FORBIDDEN;
  const action = context.get("auditAction") ?? (isRefused ? "panel.refused" : undefined);
  if (action !== undefined && status !== TOO_MANY_REQUESTS) await recordChange(context, [], action);
});

async function recordChange(
  context: Context<AppEnv>,
  segments: string[],
  action = context.get("auditAction") ?? actionOf(context.req.method, segments),
): Promise<void> {
  const { status } = context.res;
  const failed = status >= FAILED_FROM;
  const services = context.get("services");
  const event: NewEvent = {
    actor: context.get("actor"),
    action,
    target: context.get("auditTarget") ?? (await targetOf(context.res, segments)),
    fields: failed ? [] : await fieldsOf(context),
    status,
    address: addressOf(services.config, context.req.raw),
    requestId: context.get("requestId"),
  };
  if (failed || !isOfFiles(action)) return await recordEvent(services, event);
  // A push of 10,000 files neither waits for the audit trail nor adds 10,000 events to it.
  const [, source = null] = segments;
  services.inBackground(
    recordRepeated(services, { ...event, target: source }, context.get("auditCount")),
  );
}

const OF_FILES = new Set(["put", "refused", "remove"].map((verb) => `file-sources.files.${verb}`));
const isOfFiles = (action: string) => OF_FILES.has(action);

const pathBelow = (prefix: string, path: string) =>
  path
    .slice(prefix.length)
    .split("/")
    .filter((segment) => segment !== "");

/** Sub-resources that POST creates; a POST to any other name is an action. */
const NOUNS_BELOW = new Set(["scopes", "files", "questions", "runs"]);
const SPOKEN: Record<string, string> = {
  "session.create": "session.sign-in",
  "session.remove": "session.sign-out",
};

/** `rags.reindex` for POST `/rags/x/reindex`; `file-sources.files.put` for PUT `…/files/a`. */
function actionOf(method: string, [noun = "", , sub]: string[]): string {
  const verb = VERBS[method] ?? method.toLowerCase();
  if (sub === undefined) return SPOKEN[`${noun}.${verb}`] ?? `${noun}.${verb}`;
  const isVerb = method === "POST" && !NOUNS_BELOW.has(sub);
  return isVerb ? `${noun}.${sub}` : `${noun}.${sub}.${verb}`;
}

/** The resource that the path names, or the id of the created one. */
async function targetOf(answer: Response, [, ...named]: string[]): Promise<string | null> {
  if (named.length > 0) return named.join("/").slice(0, TARGET_KEPT);
  if (answer.status !== 201) return null;
  const made: unknown = await answer.clone().json();
  const id: unknown = typeof made === "object" && made !== null ? Reflect.get(made, "id") : null;
  return typeof id === "string" ? id : null;
}

async function fieldsOf({ req, get }: Context<AppEnv>): Promise<string[]> {
  const named = get("auditFields");
  if (named !== undefined) return fieldNames(named);
  // Only where the body was read as JSON: a file's bytes have no fields.
  if (req.bodyCache.text === undefined) return [];
  const body: unknown = JSON.parse(await req.text());
  if (typeof body !== "object" || body === null || Array.isArray(body)) return [];
  return fieldNames(Object.keys(body));
}

const fieldNames = (names: string[]) =>
  names.filter((name) => FIELD_NAME.test(name)).slice(0, MAX_FIELDS);
