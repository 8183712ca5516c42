import type { Config } from "../config.ts";
import { calledBy, type Trust } from "./client-address.ts";

type Addressed = Trust & Pick<Config, "PUBLIC_BASE_URL">;

/** `{base_url}`: as configured, or the origin that was called. Never ends in a slash. */
export function baseUrlOf(config: Addressed, request: Request): string {
  if (config.PUBLIC_BASE_URL !== undefined) return config.PUBLIC_BASE_URL;
  const { origin, protocol, host } = new URL(request.url);
  const called = calledBy(config, request);
  const scheme = called.proto ?? protocol.slice(0, -1);
  return URL.parse(`${scheme}://${called.host ?? host}`)?.origin ?? origin;
}

/** Whether callers reach the service over https, as far as it knows. */
export const isHttps = (config: Addressed, request: Request) =>
  baseUrlOf(config, request).startsWith("https:");
