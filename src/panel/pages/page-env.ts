import type { Context, Hono } from "hono";

import { isHttps } from "../../http/base-url.ts";
import type { Session } from "../../access/sessions/find-session.ts";
import type { PanelEnv } from "../api/request/read-request.ts";
import type { AssetNames } from "./request/assets.ts";

/** What every page behind the sign-in finds in its context. */
export type PageEnv = {
  Bindings: PanelEnv["Bindings"];
  Variables: PanelEnv["Variables"] & { session: Session; assets: AssetNames };
};

export type PageContext = Context<PageEnv>;

/** Where a file of pages adds its own, below the address that the app gives it. */
export type Pages = Hono<PageEnv>;

/** A handler of what the address names, which is looked up first. */
export const finding =
  <Found>(find: (context: PageContext) => Promise<Found>) =>
  <Result>(handle: (context: PageContext, found: Found) => Promise<Result> | Result) =>
  async (context: PageContext) =>
    await handle(context, await find(context));

export const isSecure = ({ get, req }: PageContext) => isHttps(get("services").config, req.raw);

/** Whether changes are offered: a member sees everything and is offered nothing to change. */
export const isAdmin = (context: PageContext) => context.get("session").role === "admin";
