import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { CookieOptions } from "hono/utils/cookie";
import { z } from "zod";

import { FLOW_MS } from "../../../access/sessions/session-cookie.ts";
import { sha256Hex } from "../../../core/hash.ts";
import { parseJson } from "../../../core/input/parse-json.ts";
import { SECOND_MS } from "../../../core/time.ts";
import type { Flash, Theme } from "../../components/layout.tsx";
import { isSecure, type PageContext } from "../page-env.ts";

/** Told once by the next page: a cookie that the next view of exactly that page removes. */
const flash = z.object({
  path: z.string(),
  notice: z.string().nullable(),
  problem: z.string().nullable(),
  secret: z.object({ label: z.string(), value: z.string() }).nullable(),
});

/** A page that never comes must not leave a secret lying in the browser. */
const KEPT_SECONDS = 60;
const MAX_VALUE_LENGTH = 3_500;

const FLASH = "quarry_flash";

const hostOptions = (context: PageContext): CookieOptions => ({
  httpOnly: true,
  sameSite: "Strict",
  path: "/",
  ...(isSecure(context) ? { prefix: "host", secure: true } : {}),
});

export function setFlash(context: PageContext, message: Flash): void {
  const value = Buffer.from(JSON.stringify(message)).toString("base64url");
  if (value.length > MAX_VALUE_LENGTH) return;
  setCookie(context, FLASH, value, { ...hostOptions(context), maxAge: KEPT_SECONDS });
}

/** Reads what is meant for this page, and removes it. */
export function takeFlash(context: PageContext): Flash | null {
  const value = getCookie(context, FLASH, isSecure(context) ? "host" : undefined);
  if (value === undefined || value === "") return null;
  const message = flash.safeParse(decodeJson(value)).data ?? null;
  if (message !== null && message.path !== context.req.path) return null;
  deleteCookie(context, FLASH, hostOptions(context));
  return message;
}

const PROMPT = "quarry_prompt";

/** How the next sign-in asks the provider for the account; undefined: as the provider likes. */
export const promptIn = (context: PageContext): string | undefined =>
  getCookie(context, PROMPT, isSecure(context) ? "host" : undefined);

export const setPrompt = (context: PageContext, prompt: "select_account" | "login") =>
  setCookie(context, PROMPT, prompt, hostOptions(context));

export const forgetPrompt = (context: PageContext) =>
  deleteCookie(context, PROMPT, hostOptions(context));

/** The sign-ins that one browser may have begun: all their cookies go along with each request. */
const MAX_FLOWS = 4;
const FLOW = "quarry_openid_";
const FLOW_ID_LENGTH = 16;

/** Each tab has a sign-in of its own, by its `state`, which the name does not reveal. */
const flowName = async (state: string) => FLOW + (await sha256Hex(state)).slice(0, FLOW_ID_LENGTH);

/** Lax: the person comes back from another site, with the provider's answer in the address. */
const flowOptions = (context: PageContext): CookieOptions => ({
  ...hostOptions(context),
  sameSite: "Lax",
});

/** Sign-ins that were begun and not finished, the earliest first, as browsers send them. */
export const openFlows = (context: PageContext): string[] =>
  Object.keys(getCookie(context)).flatMap((name) => /quarry_openid_\w+$/.exec(name) ?? []);

/** Keeps a begun sign-in in the browser, in place of the earliest where there are too many. */
export async function keepFlow(
  context: PageContext,
  { state, kept }: Record<"state" | "kept", string>,
) {
  for (const name of openFlows(context).slice(0, 1 - MAX_FLOWS))
    deleteCookie(context, name, flowOptions(context));
  const maxAge = FLOW_MS / SECOND_MS;
  setCookie(context, await flowName(state), kept, { ...flowOptions(context), maxAge });
}

/** The browser's part of a sign-in, which it keeps no longer; undefined: none. */
export const takeFlow = async (context: PageContext, state: string): Promise<string | undefined> =>
  deleteCookie(context, await flowName(state), flowOptions(context));

/** The value of a JSON text in base64url; undefined for other text. */
export const decodeJson = (text: string) => parseJson(Buffer.from(text, "base64url").toString());

const NAME = "quarry_theme";
const A_YEAR_SECONDS = 31_536_000;

/** The chosen colours; null: as the system has it. */
export function themeIn(context: PageContext): Theme | null {
  const value = getCookie(context, NAME);
  return value === "light" || value === "dark" ? value : null;
}

/** Holds no secret, so that it needs no protection. */
export function setTheme(context: PageContext, theme: string): void {
  const secure = isSecure(context);
  const options = { httpOnly: true, sameSite: "Lax", path: "/panel", secure } as const;
  if (theme === "light" || theme === "dark") {
    setCookie(context, NAME, theme, { ...options, maxAge: A_YEAR_SECONDS });
  } else deleteCookie(context, NAME, options);
}
