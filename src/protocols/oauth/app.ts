import { Hono, type Context } from "hono";
import { auth } from "hono/utils/basic-auth";

import {
  resourceMetadataUrl,
  resourceOf,
  serverMetadataUrl,
  normalizeResource,
} from "../../access/programs/addresses.ts";
import type { AuthorizationServer } from "../../access/programs/authorization-server.ts";
import { notFound } from "../../core/errors.ts";
import { jsonText, parseJson } from "../../core/input/parse-json.ts";
import { isObject } from "../../core/is-object.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { baseUrlOf, clientOf } from "../../http/client-address.ts";
import { readText, refuseContentCoding } from "../../http/middleware/json-body.ts";
import { rateLimit } from "../../http/middleware/rate-limit.ts";

/* See https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization */

const BODY_LIMIT_BYTES = 16 * 1_024;
const CREATED = 201;

/** The short ones are those of MCP's first revision, where a program that lost the metadata goes. */
const TOKEN = ["/oauth/token", "/token"];
const REGISTER = ["/oauth/register", "/register"];

/** ChatGPT looks here, without the path of the resource. */
const METADATA = "/.well-known/oauth-protected-resource";

export function oauthProtocol(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  for (const path of TOKEN) app.use(path, rateLimit("api"));
  for (const path of REGISTER) app.use(path, rateLimit("login"));
  app.get(`${METADATA}/*`, (context) => {
    const baseUrl = baseUrlFor(context);
    const path = new URL(resourceMetadataUrl(baseUrl) ?? baseUrl).pathname;
    if (![path, METADATA].includes(context.req.path)) throw notFound();
    const metadata = {
      resource: resourceOf(baseUrl),
      authorization_servers: [baseUrl],
      bearer_methods_supported: ["header"],
      resource_name: "Quarry",
    };
    return context.json(metadata, 200, { "Access-Control-Allow-Origin": "*" });
  });
  app.on(["GET", "HEAD", "OPTIONS"], "/.well-known/oauth-authorization-server/*", (context) =>
    answer(context, serverMetadataUrl(baseUrlFor(context)), (server, ...of) => server.issue(...of)),
  );
  app.on(["POST", "OPTIONS"], TOKEN, (context) =>
    answer(context, `${baseUrlFor(context)}/oauth/token`, (server, ...of) => server.issue(...of)),
  );
  app.on(["POST", "OPTIONS"], REGISTER, async (context) => {
    const address = `${baseUrlFor(context)}/oauth/register`;
    return keepProgram(await answer(context, address, (server, ...of) => server.register(...of)));
  });
  return app;
}

/** @throws QuarryError `not-found` where OAuth is not offered. */
function baseUrlFor({ get, req }: Context<AppEnv>): string {
  const baseUrl = baseUrlOf(get("services").config, req.raw);
  if (resourceOf(baseUrl) === null) throw notFound();
  return baseUrl;
}

type OAuthHandler = (
  server: AuthorizationServer,
  request: Request,
  context: ExecutionContext,
) => Promise<Response>;

/** The library's answer to the request as its client has sent it, before any proxy of ours. */
async function answer(context: Context<AppEnv>, url: string, by: OAuthHandler): Promise<Response> {
  const { raw } = context.req;
  refuseContentCoding(raw.headers);
  const adapt = url.endsWith("/register")
    ? supportedMetadata
    : removeRepeatedId(raw, baseUrlFor(context));
  const body = raw.method === "POST" ? adapt(await readText(raw, BODY_LIMIT_BYTES)) : null;
  const request = new Request(url, { method: raw.method, headers: raw.headers, body });
  const { authorizationServer } = await import("../../access/programs/authorization-server.ts");
  const { services } = context.var;
  const server = authorizationServer(services, baseUrlFor(context), clientOf(services.config, raw));
  const answered = await by(server, request, executionOf(context));
  return new Response(answered.body, answered);
}

/**
 * The id of the client that Basic credentials name may stand in the form as well: it is no second
 * way to authenticate (https://www.rfc-editor.org/rfc/rfc6749#section-3.2.1). Credentials are
 * encoded as the fields of a form are.
 */
const removeRepeatedId = (request: Request, baseUrl: string) => (form: string) => {
  const fields = new URLSearchParams(form);
  const id = new URLSearchParams(`id=${auth(request)?.username ?? ""}`).get("id") ?? "";
  fields.delete("client_id", id);
  // There are no scopes: a refresh that repeats those of the request would be refused for them.
  fields.delete("scope");
  return normalizeResource(fields, baseUrl).toString();
};

const SERVED = new Map<string, unknown[]>([
  ["grant_types", ["authorization_code", "refresh_token"]],
  ["response_types", ["code"]],
]);

/** Programs register one of these and send the other, which the library refuses if one was named. */
const SECRET_METHODS = new Set<unknown>(["client_secret_basic", "client_secret_post"]);

/**
 * The metadata of a program without empty fields, and without what is not served: the answer lists
 * what remains (https://www.rfc-editor.org/rfc/rfc7591#section-3.2.1).
 */
function supportedMetadata(text: string): string {
  const metadata = parseJson(text);
  if (!isObject(metadata)) return text;
  const isEitherMethod = (name: string, value: unknown) =>
    name === "token_endpoint_auth_method" && SECRET_METHODS.has(value);
  const fields = Object.entries(metadata).filter(
    ([name, value]) => value !== "" && value !== null && !isEitherMethod(name, value),
  );
  const served = fields.map(([name, value]) => {
    const values = Array.isArray(value) ? value.filter((v) => SERVED.get(name)?.includes(v)) : [];
    return [name, values.length > 0 ? values : value];
  });
  return jsonText(Object.fromEntries(served)) ?? text;
}

/** Hono's type of it lacks what the platform's has. */
const executionOf = ({ executionCtx }: Context<AppEnv>) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is the platform's own
  executionCtx as ExecutionContext;

/** Keeps used programs with a secret: people would be asked again after a day. */
async function keepProgram(registered: Response): Promise<Response> {
  if (registered.status !== CREATED) return registered;
  const client: unknown = await registered.json();
  const hasSecret = isObject(client) && "client_secret" in client;
  const registration = hasSecret ? { ...client, client_secret_expires_at: 0 } : client;
  return new Response(JSON.stringify(registration), registered);
}
