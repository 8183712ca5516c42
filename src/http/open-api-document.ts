import { OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";

import packageFacts from "../../package.json" with { type: "json" };
import type { AppEnv } from "./app-env.ts";
import { finishDocument } from "./finish-document.ts";
import { bearer, TAGS } from "./routes/route-parts.ts";
import { HEADERS } from "./schemas/headers.ts";

const DESCRIPTION = `Quarry finds the passages of your documents that answer a query.

A RAG is an index of documents, searched by words and by meaning. An inference is a stateless call of a model, with linked RAGs as its context.

Call the API from a server only: it sends no CORS headers. A response with \`degraded\` is valid and was built with less context than requested. With an administrator's panel session in place of a token, responses may add \`timings\`, \`usage\`, \`toolCalls[].debug\`, the \`message\` inside \`degraded\`, and the header \`X-Inference-Timings\`.

Fields of a body that are not known are ignored; \`X-Ignored-Fields\` names them. Later versions may add fields to answers, and values to \`x-extensible-enum\`.

Requests are limited per client IP: every limited answer carries \`RateLimit-Policy\` and \`RateLimit\`, and a refused one \`Retry-After\`.`;

/** The part of `info` that all specifications of the service share. */
export const serviceInfo = (baseUrl: string) => ({
  version: packageFacts.version,
  license: { name: "MIT", url: "https://opensource.org/license/mit" },
  contact: { name: "The operator of this service", url: baseUrl },
});

/** The published specification, made from the routes that run. */
export function openApiDocument(app: OpenAPIHono<AppEnv>, baseUrl: string) {
  const { webhooks: _none, ...document } = documentOf(app, baseUrl, {
    title: "Quarry API",
    description: DESCRIPTION,
    tags: [
      { name: TAGS.rags, description: "Sets of indexed documents: status, search, files, scopes." },
      { name: TAGS.inferences, description: "Stateless model calls and the context behind them." },
    ],
  });
  return finishDocument(document, { isPublished: true });
}

type About = { title: string; description: string; tags: { name: string; description: string }[] };

const documentOf = (app: OpenAPIHono<AppEnv>, baseUrl: string, { tags, ...about }: About) =>
  app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: { ...serviceInfo(baseUrl), ...about },
    servers: [{ url: baseUrl, description: "This service." }],
    tags,
    security: bearer,
  });

/** The routes that are hidden in the published specification, as a document of their own. */
export function unpublishedDocument(routes: RouteConfig[], baseUrl: string) {
  const app = new OpenAPIHono<AppEnv>();
  const described = routes.map(({ hide: _hide, middleware: _middleware, ...route }) => route);
  for (const route of described) app.openAPIRegistry.registerPath(route);
  const text = JSON.stringify(described);
  registerComponents(app, (header) => text.includes(`/headers/${header}"`));
  const document = documentOf(app, baseUrl, {
    title: "Quarry API: agents and webhooks",
    description: "Calls that are not part of the published API.",
    tags: [
      { name: TAGS.agents, description: "Models that search by themselves, in several steps." },
      { name: TAGS.webhooks, description: "Calls that report changes to a file source." },
    ],
  });
  return finishDocument(document);
}

/** Components that the routes refer to: how to sign in, and the headers of answers. */
export function registerComponents(
  app: OpenAPIHono<AppEnv>,
  isUsed: (header: string) => boolean = () => true,
) {
  for (const [name, header] of Object.entries(HEADERS)) {
    if (isUsed(name)) app.openAPIRegistry.registerComponent("headers", name, header);
  }
  app.openAPIRegistry.registerComponent("securitySchemes", "bearer", {
    type: "http",
    scheme: "bearer",
    description: "An access token, created in the panel.",
  });
}
