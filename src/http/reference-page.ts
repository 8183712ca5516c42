import { SwaggerUI } from "@hono/swagger-ui";
import type { Context } from "hono";
import { html, raw } from "hono/html";

/** Where the build puts the two files of swagger-ui-dist. */
const SWAGGER_ASSETS = "/assets";

const NONCE_BYTES = 16;

/** Each page leads to the others. */
const PAGES = [
  ["/api/docs", "API"],
  ["/api/docs/agents-and-webhooks", "Agents and webhooks"],
  ["/panel/reference", "Panel API"],
] as const;

/** A page that shows an OpenAPI document of this service, to read and to try. */
export function referencePage(context: Context, of: { title: string; document: string }) {
  const random = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const nonce = Buffer.from(random).toString("base64");
  context.header("Content-Security-Policy", policyWith(nonce));
  const ui = SwaggerUI({ baseUrl: SWAGGER_ASSETS, url: of.document, validatorUrl: "none" });
  return context.html(pageWith(of.title, ui.replaceAll("<script", `<script nonce="${nonce}"`)));
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

function pageWith(title: string, ui: string) {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
      </head>
      <body>
        <nav class="swagger-ui wrapper">
          ${PAGES.map(([address, name]) => html`<a class="link" href="${address}">${name}</a> `)}
        </nav>
        ${raw(ui)}
      </body>
    </html>`;
}
