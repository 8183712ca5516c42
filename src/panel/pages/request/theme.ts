import { cookieIn } from "../../../access/sessions/session-cookie.ts";

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
