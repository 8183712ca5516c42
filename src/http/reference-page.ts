import { SwaggerUI } from "@hono/swagger-ui";
import type { Context } from "hono";
import { html, raw } from "hono/html";

/** Where the build puts the two files of swagger-ui-dist. */
const SWAGGER_ASSETS = "/assets";

const NONCE_BYTES = 16;

/** Each page leads to the others. */
const PAGES = [
  ["/panel", "Back to the panel"],
  ["/api/docs", "API"],
  ["/api/docs/agents-and-webhooks", "Agents and webhooks"],
  ["/panel/reference", "Panel API"],
] as const;

/** A page that shows an OpenAPI document of this service, to read and to try. */
export function referencePage(context: Context, page: { title: string; document: string }) {
  const random = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const nonce = Buffer.from(random).toString("base64");
  context.header("Content-Security-Policy", policyWith(nonce));
  const ui = SwaggerUI({ baseUrl: SWAGGER_ASSETS, url: page.document, validatorUrl: "none" });
  return context.html(
    pageWith(page.title, nonce, ui.replaceAll("<script", `<script nonce="${nonce}"`)),
  );
}

/** Own assets only. Swagger UI draws its icons as data URLs and sets styles from its script. */
function policyWith(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** Swagger UI has dark colours of its own under a class; these are the panel's accents. */
const COLOURS = `
  :root { color-scheme: light dark; --accent: light-dark(#1f5fbf, #7fb0ff); }
  :root:root, :root:root body, :root:root .swagger-ui, :root:root:root .scheme-container {
    background: light-dark(#fbfbfa, #131416); box-shadow: none; font-family: system-ui, sans-serif;
  }
  body { margin: 0; }
  nav.swagger-ui { display: flex; flex-wrap: wrap; gap: 16px; padding: 16px 20px; }
  :root:root .swagger-ui .info .title, :root:root .swagger-ui .opblock-tag { font-family: inherit; }
  :root:root:root .swagger-ui a:not(.nostyle, .nostyle *) { color: var(--accent); }
  :root:root .swagger-ui .opblock { border-radius: 8px; box-shadow: none; }
  :root:root:root .swagger-ui .btn.authorize { color: var(--accent); border-color: currentColor; }
  :root:root:root .swagger-ui .btn.authorize svg { fill: currentColor; }
  :root:root:root .swagger-ui .opblock .opblock-summary-method {
    color: light-dark(#fff, #131416); text-shadow: none;
  }
  :root:root:root .swagger-ui .opblock-get .opblock-summary-method { background: var(--accent); }
  :root:root:root .swagger-ui .opblock-post .opblock-summary-method {
    background: light-dark(#1c7a4b, #5cc994);
  }
  :root:root:root .swagger-ui :is(.opblock-patch, .opblock-put) .opblock-summary-method {
    background: light-dark(#8a5a00, #e3b341);
  }
  :root:root:root .swagger-ui .opblock-delete .opblock-summary-method {
    background: light-dark(#b3261e, #ff8a80);
  }
`;
const FOLLOW_SYSTEM = `
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", follow);
  follow();
`;

function pageWith(title: string, nonce: string, ui: string) {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        <script nonce="${nonce}">
          ${raw(FOLLOW_SYSTEM)};
        </script>
      </head>
      <body>
        <nav class="swagger-ui wrapper">
          ${PAGES.map(([address, name]) => html`<a class="link" href="${address}">${name}</a> `)}
        </nav>
        ${raw(ui)}
        <style nonce="${nonce}">
          ${raw(COLOURS)}
        </style>
      </body>
    </html>`;
}
