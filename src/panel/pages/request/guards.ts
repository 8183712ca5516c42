import { createMiddleware } from "hono/factory";
import { z } from "zod";

import { signInAddress } from "../../../access/sessions/address-after-sign-in.ts";
import { findSession } from "../../../access/sessions/find-session.ts";
import { mustEnrol } from "../../../access/totp/must-enrol.ts";
import { billPerson } from "../../../catalog/limits/spending.ts";
import { forbidden } from "../../../core/errors.ts";
import type { Env } from "../../../env.ts";
import { isHttps } from "../../../http/client-address.ts";
import { isOwnPage, isReading } from "../../api/request/guards.ts";
import type { AssetNames } from "../../components/layout.tsx";
import { endedSessionPage } from "../error-page.tsx";
import type { PageContext, PageEnv } from "../page-env.ts";

/** No inline script or style, no other host. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "frame-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const setUpPage = createMiddleware<PageEnv>(async (context, next) => {
  context.header("Content-Security-Policy", POLICY);
  context.set("assets", await assetNames(context.env));
  await next();
});

/** A form comes from one of our own pages, the one for signing in too. @throws `forbidden`. */
export const requireOwnForms = createMiddleware<PageEnv>(async ({ req, get }, next) => {
  if (!isReading(req.method) && !isOwnPage({ get, req })) throw forbidden();
  await next();
});

/** Asks for a sign-in, and then leads to the requested page. */
export const requireSession = createMiddleware<PageEnv>(async (context, next) => {
  const services = context.get("services");
  const { raw } = context.req;
  const secure = isHttps(services.config, raw);
  // Requests that the page's script sends by itself are no use of the session.
  const isUse = !raw.headers.has("X-Refresh");
  const session = await findSession(services, raw.headers.get("Cookie"), secure, isUse);
  if (session === null) return await askToSignIn(context);
  context.set("session", session);
  context.set("caller", { kind: "session", role: session.role, session });
  context.set("actor", { kind: "user", id: session.userId, name: session.email });
  billPerson(services, session.email);
  return await next();
});

/** The address of a page as it was requested, without its origin. */
const requestPath = ({ req }: PageContext) => req.url.slice(new URL(req.url).origin.length);

/**
 * A link on another site opens a page without the cookie, which is SameSite=Strict: the answer asks
 * for the page once more, now from our own site and with the cookie. Null: the site is ours.
 */
export function reloadFromOwnSite(context: PageContext): Response | null {
  if (context.req.header("Sec-Fetch-Site") !== "cross-site") return null;
  return context.body(null, 200, { Refresh: `0;url=${requestPath(context)}` });
}

async function askToSignIn(context: PageContext): Promise<Response> {
  if (!isReading(context.req.method)) return await endedSessionPage(context);
  return reloadFromOwnSite(context) ?? context.redirect(signInAddress(requestPath(context)), 303);
}

/** Under `REQUIRE_TOTP` a session is for enrolling until that is done. */
export const requireTotp = createMiddleware<PageEnv>(async (context, next) => {
  if (!mustEnrol(context.get("services").config, context.get("session"))) return await next();
  return context.redirect("/panel/account/second-factor", 303);
});

const PREFIX = "/assets/panel";
/** Any host: the binding looks at the path only. */
const MANIFEST = `https://assets.local${PREFIX}/manifest.json`;

const manifest = z.object({ style: z.string(), script: z.string(), icon: z.string() });

/** Without assets, a page is plain and still works. */
const NONE: AssetNames = { style: "", script: "", icon: "" };

/** The names change with a deployment only, and an isolate belongs to one deployment. */
const namesByFetcher = new WeakMap<Fetcher, AssetNames>();

async function assetNames({ ASSETS }: Pick<Env, "ASSETS">): Promise<AssetNames> {
  if (ASSETS === undefined) return NONE;
  const names = namesByFetcher.get(ASSETS) ?? (await readManifest(ASSETS));
  namesByFetcher.set(ASSETS, names);
  return names;
}

async function readManifest(assets: Fetcher): Promise<AssetNames> {
  const response = await assets.fetch(MANIFEST);
  if (!response.ok) return NONE;
  const { style, script, icon } = manifest.parse(await new Response(response.body).json());
  return { style: `${PREFIX}/${style}`, script: `${PREFIX}/${script}`, icon: `${PREFIX}/${icon}` };
}
