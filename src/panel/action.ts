import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";

import type { AuditAction } from "../access/audit/audit-actions.ts";
import {
  fieldChanges,
  removedFields,
  valueChanges,
  type FieldChange,
} from "../access/audit/field-changes.ts";
import type { Actor, AuditEntry } from "../access/audit/record-event.ts";
import type { PanelCaller } from "../access/sessions/find-panel-caller.ts";
import { forbidden } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import { isObject } from "../core/is-object.ts";
import { recordingServices } from "../http/middleware/audit.ts";
import { parseKnownOrRefuse } from "../http/validation.ts";
import type { Services } from "../services.ts";
import type { Facts, Find, Route, Success, Who, PanelEnv } from "./api/request/route.ts";

/** The part of a request's context that the API and the pages share. */
export type ActionContext = Pick<Context<PanelEnv>, "get" | "req" | "header"> & {
  set: {
    (name: "audit", entry: AuditEntry | undefined): void;
    (name: "actor", actor: Actor): void;
  };
};

/** The schema of a body where it depends on the time (ms), the subject, or the body itself. */
type BodyOf<Subject, Body> = (at: { now: number; subject: Subject; input: unknown }) => Body;

export type ActionCall<Subject, Body extends z.ZodType> = {
  context: ActionContext;
  /** The first change in their database records the entry of the audit trail. */
  services: Services;
  caller: PanelCaller;
  subject: Subject;
  body: z.output<Body>;
  /** For what the action creates. */
  id: string;
};

type NewSubject<Body extends z.ZodType> = {
  id: string;
  body: z.output<Body>;
  context: ActionContext;
};

/**
 * A change that the panel offers, declared once: the route of its API with the reference, the form
 * of its page, and its entry of the audit trail follow.
 */
export type Action<Subject, Body extends z.ZodType, Result> = Pick<
  Facts<z.ZodObject, z.ZodType>,
  "before" | "by" | "errors" | "id"
> & {
  /** A noun and a verb. Its route follows, and what is usual for the verb. */
  name: AuditAction;
  /** A sentence that sums it up, and what else there is to say. */
  about: string;
  /** Absent: as the name says. */
  route?: Route;
  /** Looks up the changed thing; absent: it creates something, or there is only one. */
  find?: Find<Subject>;
  body?: Body | BodyOf<Subject, Body>;
  /** The body as the reference shows it, where its schema depends on the request. */
  reference?: z.ZodType;
  /** Whether the API takes the body's fields in the query. */
  isQuery?: true;
  /** Success with an answer; absent: 201 for a creation, else 200. */
  status?: Success;
  work: (call: ActionCall<Subject, Body>) => Promise<Result> | Result;
  /** Absent: 204. */
  answer?: z.ZodType;
  /** The answer; absent: the result. */
  answerOf?: (result: Result, services: Services) => unknown;
  /** For the audit trail; absent: the identifier of the subject, or the id of what is created. */
  target?: (subject: Subject, made: NewSubject<Body>) => string;
  /** The record before, as the body names it; without a body the loss, absent: the name. */
  previousValues?: (subject: Subject) => object;
  /** Values that `previousValues` lacks, from the database, of fields that the body names. */
  readPrevious?: (services: Services, subject: Subject, body: z.output<Body>) => Promise<object>;
  /** Turns a list that replaces another into values by name, as `readPrevious` has those before. */
  valuesOfList?: (body: z.output<Body>) => object;
  /** Files that it changed, where it changes many. */
  files?: (result: Result) => number;
  /** People read it on the next page. */
  notice?: string | ((result: Result, subject: Subject) => string);
};

export const action = <Subject = undefined, Body extends z.ZodType = z.ZodUndefined, Result = void>(
  declaration: Action<Subject, Body, Result>,
): Action<Subject, Body, Result> => declaration;

const isCreation = (name: AuditAction) => name.endsWith(".create");

/** `post /users`, `patch /users/{id}`, `delete /users/{id}`, `post /rags/{id}/reindex`. */
export function routeOf({ name, route }: Pick<AnyAction, "name" | "route">): Route {
  if (route !== undefined) return route;
  const [noun = "", verb = ""] = name.split(".");
  if (isCreation(name)) return `post /${noun}`;
  if (verb === "change") return `patch /${noun}/{id}`;
  return verb === "remove" ? `delete /${noun}/{id}` : `post /${noun}/{id}/${verb}`;
}

export const statusOf = ({ name, status }: Pick<AnyAction, "name" | "status">): Success =>
  status ?? (isCreation(name) ? 201 : 200);

type AnyAction = Action<never, z.ZodType, never>;

/** @throws QuarryError `forbidden` */
export function permit(context: Pick<ActionContext, "get">, by: Who = "admins"): void {
  if (by === "admins" && context.get("caller").role !== "admin") throw forbidden();
}

type ActionRequest<Subject> = {
  subject: Subject;
  input: unknown;
  /** The status of success; absent: a page leads on. */
  status?: number;
  /** Services that write nothing: the checks are made, and no entry of the audit trail. */
  rehearsal?: Services | undefined;
};

/**
 * Does what a request asks for, once its caller is permitted; the entry of the audit trail is
 * written in the transaction of the change. @throws QuarryError `invalid`, and as `work` does
 */
export async function perform<Subject, Body extends z.ZodType, Result>(
  context: ActionContext,
  declared: Action<Subject, Body, Result>,
  { subject, input, status = 303, rehearsal }: ActionRequest<Subject>,
): Promise<Result> {
  const now = context.get("services").now();
  const { name, body: shape, files, work } = declared;
  if (context.get("audit") === undefined) context.set("audit", { action: name });
  const schema = typeof shape === "function" ? shape({ now, subject, input }) : shape;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed by its own schema
  const body = (schema && parseKnownOrRefuse(schema, input)) as z.output<Body>;
  const id = newId(now);
  const parts = await declared.readPrevious?.(context.get("services"), subject, body);
  const facts = {
    target: targetOf(declared, subject, { id, body, context }),
    // An entry of many calls has no values.
    changes:
      files === undefined ? changesOf(declared, { subject, parts, input, body, schema }) : [],
    ...(files === undefined ? {} : { files: 1 }),
  };
  const services = rehearsal ?? recordingServices(context, facts, status);
  const caller = context.get("caller");
  const result = await work({ context, services, caller, subject, body, id });
  if (files !== undefined) Object.assign(context.get("audit") ?? {}, { files: files(result) });
  return result;
}

const targetOf = <Subject, Body extends z.ZodType>(
  { name, target }: Pick<Action<Subject, Body, never>, "name" | "target">,
  subject: Subject,
  creation: NewSubject<Body>,
) => target?.(subject, creation) ?? keyOf(subject) ?? (isCreation(name) ? creation.id : null);

type ParsedRequest<Subject, Body extends z.ZodType> = {
  subject: Subject;
  parts: object | undefined;
  input: unknown;
  body: z.output<Body>;
  schema: z.ZodType | undefined;
};

function changesOf<Subject, Body extends z.ZodType>(
  declared: Pick<
    Action<Subject, Body, never>,
    "name" | "reference" | "previousValues" | "valuesOfList"
  >,
  { subject, parts, input, body, schema }: ParsedRequest<Subject, Body>,
): FieldChange[] {
  const { name, reference, previousValues, valuesOfList } = declared;
  if (schema === undefined) {
    const lost = name.endsWith(".remove") ? nameOf(subject) : {};
    return removedFields(previousValues?.(subject) ?? lost);
  }
  const before = { ...previousValues?.(subject), ...parts };
  if (valuesOfList !== undefined) return valueChanges(before, valuesOfList(body));
  return fieldChanges({ before, input, after: body, schemas: [reference, schema] });
}

type ChangedFiles = { action: AuditAction; source: { identifier: string }; files: number };

/** Counts files of a source that one call changed, or refused, in the entry of this hour. */
export const recordFiles = (
  context: Pick<ActionContext, "set">,
  { action: name, source, files }: ChangedFiles,
): void => context.set("audit", { action: name, target: source.identifier, files });

const nameOf = (subject: unknown) =>
  isObject(subject) && "name" in subject ? { name: subject["name"] } : {};

function keyOf(subject: unknown): string | null {
  const key = isObject(subject) ? (subject["identifier"] ?? subject["id"]) : null;
  return typeof key === "string" ? key : null;
}
