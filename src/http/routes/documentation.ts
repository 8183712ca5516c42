import { SwaggerUI } from "@hono/swagger-ui";
import type { OpenAPIHono } from "@hono/zod-openapi";
import { Hono } from "hono";
import { html, raw } from "hono/html";

import type { AppEnv } from "../app-env.ts";
import { baseUrlOf } from "../base-url.ts";
import { openApiDocument, registerComponents } from "../open-api-document.ts";

/** Where the build puts the two files of swagger-ui-dist. */
const SWAGGER_ASSETS = "/assets";
const DOCUMENT = "/api/openapi.json";

const NONCE_BYTES = 16;

/** The two public pages; neither is part of the published specification. */
export function documentation(api: OpenAPIHono<AppEnv>): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  registerComponents(api);

  // Cached for one base address; a request under another address rebuilds it.
  let made: { base: string; text: string } | null = null;
  app.get(DOCUMENT, (context) => {
    const base = baseUrlOf(context.get("services").config, context.req.raw);
    if (made?.base !== base) made = { base, text: JSON.stringify(openApiDocument(api, base)) };
    return context.body(made.text, 200, { "Content-Type": "application/json" });
  });

  app.get("/api/docs", (context) => {
    const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(NONCE_BYTES))).toString(
      "base64",
    );
    context.header("Content-Security-Policy", policyWith(nonce));
    const ui = SwaggerUI({ baseUrl: SWAGGER_ASSETS, url: DOCUMENT, validatorUrl: "none" });
    return context.html(pageWith(ui.replaceAll("<script", `<script nonce="${nonce}"`)));
  });
  return app;
}

/** Own assets only. Swagger UI draws its icons as data URLs and sets styles from its script. */
function policyWith(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function pageWith(ui: string) {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Quarry API</title>
        <link rel="icon" href="data:," />
      </head>
      <body>
        ${raw(ui)}
      </body>
    </html>`;
}
