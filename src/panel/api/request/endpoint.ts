import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";

import type { PanelCaller } from "../../../access/sessions/find-panel-caller.ts";
import { isoTime } from "../../../core/time.ts";
import { jsonBody } from "../../../http/middleware/json-body.ts";
import { parseKnownOrRefuse, parseOrRefuse } from "../../../http/validation.ts";
import type { Services } from "../../../services.ts";
import {
  aboutOf,
  operationIdOf,
  requestOf,
  responsesOf,
  type Answer,
  type Facts,
  type Method,
  type Success,
} from "./described-route.ts";
import { filePathOf } from "./sent-file.ts";
import { type PanelEnv, jsonOf, paging, type Paging } from "./read-request.ts";

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

type Route = `${Method} /${string}`;
type Find<Found> = (services: Services, key: string) => Promise<Found>;
/** What `{id}` names, where the route has it. */
type FoundAt<At extends Route, Found> = At extends `${string}{id}${string}` ? Found : undefined;

type Call<Query extends z.ZodType, Body extends z.ZodType, Found> = {
  context: Context<PanelEnv>;
  services: Services;
  caller: PanelCaller;
  /** `{id}` of the path. */
  key: string;
  found: Found;
  /** `{path}` of the path: a file's. */
  path: string;
  query: z.output<Query>;
  body: z.output<Body>;
};

type Handle<At extends Route, Found, Query extends z.ZodType, Body extends z.ZodType, Reply> = (
  call: Call<Query, Body, FoundAt<At, Found>>,
) => Reply;

type None = z.ZodUndefined;

/**
 * Routes of the panel's API. Each is declared once: the declaration checks the request, shapes
 * the answer (fields that the schema does not name are left out), and documents both. `about` is a
 * sentence that sums the route up, and what else there is to say.
 */
export class Endpoints<Found = undefined> {
  readonly app = new OpenAPIHono<PanelEnv>();
  readonly #tag: keyof typeof TAGS;
  readonly #find: Find<Found> | undefined;

  /** `find` looks up what `{id}` of a path names, once the request is checked. */
  constructor(tag: keyof typeof TAGS, find?: Find<Found>) {
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
    handle: Handle<At, Found, Query, Body, Promise<z.input<Reply>> | z.input<Reply>>,
  ): this {
    const { answer, status = 200 } = facts;
    return this.raw(route, about, facts, { [status]: { schema: answer } }, async (call) => {
      const shown = answer.parse(await handle(call));
      return call.context.json(shown, status);
    });
  }

  /** Answers 202: the work continues in the background. */
  queue<At extends Route, Query extends z.ZodObject, Body extends z.ZodType = None>(
    route: At,
    about: string,
    facts: Facts<Query, Body>,
    handle: Handle<At, Found, Query, Body, Promise<unknown>>,
  ): this {
    return this.json(route, about, { ...facts, answer: queued, status: 202 }, async (call) => {
      await handle(call);
      return { queued: true } as const;
    });
  }

  /** Answers with one page of a list, or in a form of its own. */
  list<At extends Route, Item extends z.ZodType, Query extends z.ZodObject>(
    route: At,
    about: string,
    facts: Facts<Query, None> & { item: Item; mediaTypes?: string[] },
    handle: (
      call: Call<Query, None, FoundAt<At, Found>> & { paging: Paging },
    ) => Promise<{ data: z.input<Item>[]; total: number } | Response>,
  ): this {
    const { item, query, mediaTypes, ...rest } = facts;
    const shown = z.object({ data: z.array(item), total: z.int(), page: z.int(), limit: z.int() });
    const asked = { ...rest, query: paging.extend(query?.shape ?? {}) };
    const answers = { 200: { schema: shown, mediaTypes } };
    return this.raw(route, about, asked, answers, async (call) => {
      const { page, limit } = paging.parse(call.query);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has the fields of `query`
      const own = call as unknown as Call<Query, None, FoundAt<At, Found>>;
      const listed = await handle({ ...own, paging: { page, limit, offset: (page - 1) * limit } });
      if (listed instanceof Response) return listed;
      return call.context.json(shown.parse({ ...listed, page, limit }));
    });
  }

  empty<At extends Route, Query extends z.ZodObject, Body extends z.ZodType = None>(
    route: At,
    about: string,
    facts: Facts<Query, Body>,
    handle: Handle<At, Found, Query, Body, Promise<unknown>>,
  ): this {
    return this.raw(route, about, facts, { 204: null }, async (call) => {
      await handle(call);
      return call.context.body(null, 204);
    });
  }

  raw<At extends Route, Query extends z.ZodObject, Body extends z.ZodType = None>(
    route: At,
    about: string,
    facts: Facts<Query, Body>,
    answers: Record<number, Answer>,
    handle: Handle<At, Found, Query, Body, Promise<Response>>,
  ): this {
    const { method, path } = partsOf(route);
    const { body, ownBody, before = [] } = facts;
    this.app.openAPIRegistry.registerPath(
      createRoute({
        method,
        path,
        tags: [this.#tag],
        operationId: operationIdOf(method, path),
        ...aboutOf(about),
        request: requestOf(path, facts),
        responses: responsesOf(path, facts.errors ?? [], answers),
      }),
    );
    const [, tail] = path.split("{path}", 2);
    const rest = tail === "" ? "*" : ":path{.+}";
    const at = path.replace("{path}", rest).replaceAll(/\{(\w+)\}/g, ":$1");
    const hasJson = (body ?? ownBody) !== undefined && facts.bytes === undefined;
    const reading = hasJson ? [...before, jsonBody()] : before;
    this.app.on(method.toUpperCase(), [at], ...reading, async (context) => {
      const services = context.get("services");
      const query = parseOrRefuse(facts.query ?? z.unknown(), context.req.query());
      const schema = typeof body === "function" ? body(services.now()) : body;
      const sent =
        schema === undefined ? undefined : parseKnownOrRefuse(schema, await jsonOf(context.req));
      const key = context.req.param("id") ?? "";
      parseOrRefuse(facts.id ?? z.unknown(), key, "id");
      const found = key === "" ? undefined : await this.#find?.(services, key);
      const file = tail === undefined ? "" : filePathOf(context.req.raw.url, tail);
      const caller = context.get("caller");
      const call = { context, services, caller, key, found, query, body: sent, path: file };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both were parsed by their schemas
      return await handle(call as Call<Query, Body, FoundAt<At, Found>>);
    });
    return this;
  }
}

function partsOf(route: Route): { method: Method; path: string } {
  const [method = "", path = ""] = route.split(" ");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the type of the text says
  return { method: method as Method, path };
}

/** Fields of one kind. */
export const all = <Schema extends z.ZodType, Name extends string>(
  schema: Schema,
  ...names: Name[]
) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of exactly these names
  Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>;

/** A time: ms inside, ISO 8601 in the answer. */
export const time = z
  .number()
  .transform((ms) => isoTime(ms))
  .openapi({ type: "string", format: "date-time" });
export const timeOrNull = time
  .nullable()
  .openapi({ type: ["string", "null"], format: "date-time" });

const queued = z.object({ queued: z.literal(true) }).openapi("Queued");

export const pageOf = <Row, Shown>(
  { data, total }: { data: Row[]; total: number },
  shown: (row: Row) => Shown,
) => ({ data: data.map((row) => shown(row)), total });
