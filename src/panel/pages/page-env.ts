import type { Context } from "hono";
import { createMiddleware } from "hono/factory";

import type { Session } from "../../access/sessions/find-session.ts";
import { forbidden } from "../../core/errors.ts";
import { isHttps } from "../../http/client-address.ts";
import type { Find, PanelEnv } from "../api/request/route.ts";
import type { AssetNames } from "../components/layout.tsx";

/** The context of every page behind the sign-in. */
export type PageEnv = {
  Bindings: PanelEnv["Bindings"];
  Variables: PanelEnv["Variables"] & { session: Session; assets: AssetNames };
};

export type PageContext = Context<PageEnv>;

/** Looks up what a page's address names as the API does. */
export const lookUp =
  <Subject>(find: Find<Subject>) =>
  async ({ get, req }: PageContext): Promise<Subject> => {
    const param = (name: string) => req.param(name) ?? "";
    return await find(get("services"), { key: param("id") || param("set"), path: "", param });
  };

export const isSecure = ({ get, req }: PageContext) => isHttps(get("services").config, req.raw);

export const isAdmin = (context: PageContext) => context.get("session").role === "admin";

/** Pages that lead to a change only. @throws QuarryError `forbidden`. */
export const requireAdmin = createMiddleware<PageEnv>(async (context, next) => {
  if (!isAdmin(context)) throw forbidden();
  await next();
});
