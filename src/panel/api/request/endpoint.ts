import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";

import type { PanelCaller } from "../../../access/sessions/find-panel-caller.ts";
import { isoTime } from "../../../core/time.ts";
import { handlerOf } from "../../../http/middleware/audit.ts";
import { jsonBody } from "../../../http/middleware/json-body.ts";
import { parseKnownOrRefuse, parseOrRefuse } from "../../../http/validation.ts";
import type { Services } from "../../../services.ts";
import { perform, permit, routeOf, statusOf, type Action } from "../../action.ts";
import { aboutOf, operationIdOf, requestOf, responsesOf, jsonOf, paging } from "./route.ts";
import type { Answer, Facts, Find, Method, Address, Route, Success, PanelEnv } from "./route.ts";
import type { Paging } from "./route.ts";
import { filePathOf } from "./sent-file.ts";

/** The groups of the panel API's reference, in its order. */
export const TAGS = {
  session: "Sign-in, and your own session, password and second factor.",
  users: "Users, their sessions, and automation keys.",
  sources: "File sources, their files and scans.",
  rags: "Sets of indexed documents: settings, index, searches to try.",
  answers: "Inferences and agents: a prompt, a model and linked RAGs.",
  evaluation: "Question sets, and runs that measure what is found and answered.",
  tokens: "Access tokens for programs.",
  service: "Models and prices, usage, overview, audit trail.",
};

/** The subject of a route with `{id}`. */
type SubjectAt<At extends Route, Subject> = At extends `${string}{id}${string}`
  ? Subject
  : undefined;

type Call<Query extends z.ZodType, Body extends z.ZodType, Subject> = Address & {
  context: Context<PanelEnv>;
  services: Services;
  caller: PanelCaller;
  subject: Subject;
  query: z.output<Query>;
  body: z.output<Body>;
};

type Handle<At extends Route, Subject, Query extends z.ZodType, Body extends z.ZodType, Reply> = (
  call: Call<Query, Body, SubjectAt<At, Subject>>,
) => Reply;

type None = z.ZodUndefined;

/**
 * Routes of the panel's API. Each is declared once: the declaration checks the request, shapes
 * the answer (fields that the schema does not name are left out), and documents both. `about` is a
 * sentence that sums the route up, and what else there is to say.
 */
export class Endpoints<Subject = undefined> {
  readonly app = new OpenAPIHono<PanelEnv>();
  readonly #tag: keyof typeof TAGS;
  readonly #find: Find<Subject> | undefined;

  /** `find` looks up what `{id}` of a path names, once the request is checked. */
  constructor(tag: keyof typeof TAGS, find?: Find<Subject>) {
    this.#tag = tag;
    this.#find = find;
  }

  json<
    At extends Route,
    Reply extends z.ZodType,
    Query extends z.ZodObject,
    Body extends z.ZodType = None,
  >(
    route: At,
    about: string,
    facts: Facts<Query, Body> & { answer: Reply; status?: Success },
    handle: Handle<At, Subject, Query, Body, Promise<z.input<Reply>> | z.input<Reply>>,
  ): this {
    const { answer, status = 200 } = facts;
    return this.raw(route, about, facts, { [status]: { schema: answer } }, async (call) => {
      return call.context.json(answer.parse(await handle(call)), status);
    });
  }

  /** The route of an action, which its declaration describes. */
  action<Of, Body extends z.ZodType, Result>(declared: Action<Of, Body, Result>): this {
    const { about, body, reference, isQuery = false, answer, answerOf, ...facts } = declared;
    const status = answer === undefined ? 204 : statusOf(declared);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- else it has a reference
    const at = { now: 0, subject: undefined as Of, input: undefined };
    const shape = reference ?? (typeof body === "function" ? body(at) : body);
    const query = isQuery && shape instanceof z.ZodObject ? shape : undefined;
    const routeFacts = query === undefined ? { ...facts, body: shape } : { ...facts, query };
    const answers = { [status]: answer === undefined ? null : { schema: answer } };
    const handle = async (call: Call<z.ZodObject, z.ZodType, unknown>) => {
      const { context, services } = call;
      const input = query === undefined ? call.body : call.query;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as its own `find` gives it
      const request = { subject: call.subject as Of, input, status };
      const result = await perform(context, declared, request);
      if (answer === undefined) return context.body(null, 204);
      const reply = answerOf === undefined ? result : await answerOf(result, services);
      return context.json(answer.parse(reply), statusOf(declared));
    };
    return this.raw(routeOf(declared), about, { ...routeFacts, isParsed: false }, answers, handle);
  }

  /** Answers with one page of a list, which may be given whole, or in a form of its own. */
  list<At extends Route, Item extends z.ZodType, Query extends z.ZodObject>(
    route: At,
    about: string,
    facts: Facts<Query, None> & { item: Item; mediaTypes?: string[] },
    handle: (
      call: Call<Query, None, SubjectAt<At, Subject>> & { paging: Paging },
    ) => Promise<{ data: z.input<Item>[]; total: number } | z.input<Item>[] | Response>,
  ): this {
    const { item, query, mediaTypes, ...rest } = facts;
    const shown = z.object({ data: z.array(item), total: z.int(), page: z.int(), limit: z.int() });
    const schemas = { ...rest, query: paging.extend(query?.shape ?? {}) };
    const answers = { 200: { schema: shown, mediaTypes } };
    return this.raw(route, about, schemas, answers, async (call) => {
      const { page, limit } = paging.parse(call.query);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has the fields of `query`
      const own = call as unknown as Call<Query, None, SubjectAt<At, Subject>>;
      const offset = (page - 1) * limit;
      const list = await handle({ ...own, paging: { page, limit, offset } });
      if (list instanceof Response) return list;
      const { data, total } = Array.isArray(list)
        ? { data: list.slice(offset, offset + limit), total: list.length }
        : list;
      return call.context.json(shown.parse({ data, total, page, limit }));
    });
  }

  raw<At extends Route, Query extends z.ZodObject, Body extends z.ZodType = None>(
    route: At,
    about: string,
    facts: Facts<Query, Body>,
    answers: Record<number, Answer>,
    handle: Handle<At, Subject, Query, Body, Promise<Response>>,
  ): this {
    const { method, path } = partsOf(route);
    const { body, before = [], name, isParsed = true } = facts;
    const { by = method === "get" ? "members" : "admins" } = facts;
    this.app.openAPIRegistry.registerPath(
      createRoute({
        method,
        path,
        tags: [this.#tag],
        operationId: operationIdOf(method, path),
        ...aboutOf(about),
        request: requestOf(path, facts),
        responses: responsesOf(path, facts, answers),
      }),
    );
    const [, tail] = path.split("{path}", 2);
    const rest = tail === "" ? "*" : ":path{.+}";
    const at = path.replace("{path}", rest).replaceAll(/\{(\w+)\}/g, ":$1");
    const pathIn = (url: string) => (tail === undefined ? "" : filePathOf(url, tail));
    const hasJson = body !== undefined && facts.bytes === undefined;
    const reading: MiddlewareHandler[] = hasJson ? [...before, jsonBody()] : before;
    const handler = async (context: Context<PanelEnv>) => {
      const services = context.get("services");
      const param = (parameter: string) => context.req.param(parameter) ?? "";
      const key = param("id");
      if (name !== undefined) context.set("audit", { action: name, target: key || null });
      permit(context, by);
      const query = parseOrRefuse(facts.query ?? z.unknown(), context.req.query());
      parseOrRefuse(facts.id ?? z.unknown(), key, "id");
      const address = { key, path: pathIn(context.req.raw.url), param };
      const find = facts.find ?? (key === "" ? undefined : this.#find);
      const subject = await find?.(services, address);
      const json = hasJson ? await jsonOf(context.req) : undefined;
      const parsed = hasJson && isParsed ? parseKnownOrRefuse(body, json) : json;
      const caller = context.get("caller");
      const call = { ...address, context, services, caller, subject, query, body: parsed };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both were parsed by their schemas
      return await handle(call as Call<Query, Body, SubjectAt<At, Subject>>);
    };
    this.app.on(method.toUpperCase(), [at], ...reading, handlerOf(name, handler));
    return this;
  }
}

function partsOf(route: Route): { method: Method; path: string } {
  const [method = "", path = ""] = route.split(" ");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the type of the text says
  return { method: method as Method, path };
}

export { fieldsOfKind } from "../../../core/input/fields-of-kind.ts";

/** An object that the reference lists under its name. */
export const schema = <Shape extends z.ZodRawShape>(name: string, shape: Shape) =>
  z.object(shape).openapi(name);

/** A time: ms inside, ISO 8601 in the answer. */
export const time = z
  .number()
  .transform((ms) => isoTime(ms))
  .openapi({ type: "string", format: "date-time" });
export const timeOrNull = time
  .nullable()
  .openapi({ type: ["string", "null"], format: "date-time" });

/** The answer to what continues in the background. */
export const queued = {
  answer: schema("Queued", { queued: z.literal(true) }),
  answerOf: () => ({ queued: true }),
  status: 202,
} as const;

export const pageOf = <Row, Shown>(
  { data, total }: { data: Row[]; total: number },
  shown: (row: Row) => Shown,
) => ({ data: data.map((row) => shown(row)), total });
