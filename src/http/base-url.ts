import type { Config } from "../config.ts";

/** `{base_url}`: as configured, or the request's own origin. Never ends in a slash. */
export function baseUrlOf(config: Pick<Config, "PUBLIC_BASE_URL">, request: Request): string {
  return config.PUBLIC_BASE_URL ?? new URL(request.url).origin;
}

/** Whether callers reach the service over https, as far as it knows. */
export const isHttps = (config: Pick<Config, "PUBLIC_BASE_URL">, request: Request) =>
  /^https:/i.test(config.PUBLIC_BASE_URL ?? request.url);
