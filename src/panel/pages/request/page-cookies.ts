import { z } from "zod";

import { isSecure, type PageContext } from "../page-env.ts";
import { cookieIn } from "../../../access/sessions/session-cookie.ts";

/**
 * What the page after a redirect tells once: what was done, or a secret that is shown only now.
 * A cookie carries it, which the next view of exactly that page reads and removes.
 */
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
const VALUE_MAX_LENGTH = 3_500;

const nameOf = (secure: boolean) => (secure ? "__Host-quarry_flash" : "quarry_flash");

function cookie(secure: boolean, value: string, seconds: number): string {
  const attributes = `HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}`;
  return `${nameOf(secure)}=${value}; ${attributes}${secure ? "; Secure" : ""}`;
}

export function setFlash(context: PageContext, told: Flash): void {
  const value = Buffer.from(JSON.stringify(told)).toString("base64url");
  if (value.length > VALUE_MAX_LENGTH) return;
  const secure = isSecure(context);
  context.header("Set-Cookie", cookie(secure, value, KEPT_SECONDS), { append: true });
}

/** Reads what is meant for this page, and removes it. */
export function takeFlash(context: PageContext): Flash | null {
  const secure = isSecure(context);
  const value = cookieIn(context.req.header("Cookie"), nameOf(secure));
  if (value === null || value === "") return null;
  const told = parsed(value);
  if (told !== null && told.path !== context.req.path) return null;
  context.header("Set-Cookie", cookie(secure, "", 0), { append: true });
  return told;
}

function parsed(value: string): Flash | null {
  try {
    return flash.parse(JSON.parse(Buffer.from(value, "base64url").toString()));
  } catch {
    return null;
  }
}

export type Theme = "light" | "dark";

const NAME = "quarry_theme";
const A_YEAR_SECONDS = 31_536_000;

/** The chosen colours; null: as the system has it. */
export function themeIn(cookies: string | undefined): Theme | null {
  const value = cookieIn(cookies, NAME);
  return value === "light" || value === "dark" ? value : null;
}

/** Holds no secret, so that it needs no protection. */
export function themeCookie(theme: string, secure: boolean): string {
  const chosen = theme === "light" || theme === "dark" ? theme : "";
  const seconds = chosen === "" ? 0 : A_YEAR_SECONDS;
  const attributes = `HttpOnly; SameSite=Lax; Path=/panel; Max-Age=${seconds}`;
  return `${NAME}=${chosen}; ${attributes}${secure ? "; Secure" : ""}`;
}
