import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";

import { composeServices } from "../../src/compose.ts";
import { createApp } from "../../src/http/app.ts";
import { panelApi } from "../../src/panel/api/app.ts";
import { panelPages } from "../../src/panel/pages/app.ts";
import { countedRows, noRows } from "./counted-rows.ts";
import { freshAddress, ORIGIN } from "./worker-client.ts";

type PanelRequest = { method?: string; cookie?: string; body?: BodyInit; type?: string };

/** Calls of the service and its panel under other variables, with the rows that each read. */
export function panelWith(variables: Record<string, string> = {}) {
  const counts = noRows();
  const bindings = { ...env, ...variables, DB: countedRows(env.DB, counts) };
  const app = createApp(composeServices);
  app.route("/panel/api", panelApi());
  app.route("/panel", panelPages());
  return async (path: string, { method = "GET", cookie = "", body, type }: PanelRequest = {}) => {
    counts.read = 0;
    const headers = {
      Cookie: cookie,
      Origin: ORIGIN,
      "X-Forwarded-For": freshAddress(),
      ...(type === undefined ? {} : { "Content-Type": type }),
    };
    const context = createExecutionContext();
    const request = new Request(ORIGIN + path, { method, headers, body: body ?? null });
    const response = await app.fetch(request, bindings, context);
    const text = await response.text();
    await waitOnExecutionContext(context);
    const to = response.headers.get("Location");
    return { status: response.status, to, text, read: counts.read };
  };
}
