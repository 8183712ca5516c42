import { Hono } from "hono";

import type { PageEnv } from "../page-env.ts";
import { comparePage } from "./compare-page.tsx";
import { questionPages } from "./question-page.tsx";
import { questionListPages } from "./questions-tab.tsx";
import { runResultPages } from "./run-page.tsx";
import { runListPages } from "./runs-tab.tsx";
import { setSettingsPages, setListPage } from "./sets.tsx";

/** Question sets and their runs. */
export function evaluationPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.get("/", setListPage);
  app.get("/:set/runs/compare", (context) => comparePage(context, context.req.param("set")));
  app.route("/", questionListPages());
  app.route("/", questionPages());
  app.route("/", runListPages());
  app.route("/", runResultPages());
  app.route("/", setSettingsPages());
  return app;
}
