import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { CookieOptions } from "hono/utils/cookie";
import { z } from "zod";

import { isSecure, type PageContext } from "../page-env.ts";
import { parsedJson } from "../../../core/input/parsed-json.ts";

/** What the next page tells once; a cookie that the next view of exactly that page removes. */
const flash = z.object({
  path: z.string(),
  notice: z.string().nullable(),
  /** Something that somebody has to look at. */
  problem: z.string().nullable(),
  secret: z.object({ label: z.string(), value: z.string() }).nullable(),
});
export type Flash = z.infer<typeof flash>;

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
  const message = flash.safeParse(jsonInBase64(value)).data ?? null;
  if (message !== null && message.path !== context.req.path) return null;
  deleteCookie(context, FLASH, hostOptions(context));
  return message;
}

const PROMPT = "quarry_prompt";
const PROMPTS = ["select_account", "login"] as const;
export type Prompt = (typeof PROMPTS)[number];

/** How the next sign-in asks the provider for the account; null: as the provider likes. */
export function promptIn(context: PageContext): Prompt | null {
  const value = getCookie(context, PROMPT, isSecure(context) ? "host" : undefined);
  return PROMPTS.find((prompt) => prompt === value) ?? null;
}

export function setPrompt(context: PageContext, prompt: Prompt | null): void {
  if (prompt !== null) setCookie(context, PROMPT, prompt, hostOptions(context));
  else if (promptIn(context) !== null) deleteCookie(context, PROMPT, hostOptions(context));
}

/** Undefined for what is none. */
export const jsonInBase64 = (text: string): unknown =>
  parsedJson(Buffer.from(text, "base64url").toString());

export type Theme = "light" | "dark";

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
