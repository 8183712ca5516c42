import { sha256Hex } from "../../core/hash.ts";
import type { TokenId } from "../../core/ids.ts";
import type { Credential } from "../../db/access/principal-lookup.ts";
import type { Services } from "../../services.ts";
import { resourceOf } from "./addresses.ts";

/** Tokens of connected programs are three parts; those that the panel makes have no colon. */
const FORM = /^[0-9a-f-]{36}:[\w-]{16}:[\w-]{32}$/;

/** The hash in the row of a grant without a token: no token has it. */
export const grantHash = (id: TokenId): Promise<string> => sha256Hex(`grant ${id}`);

/** Null: it is no token of a program, or it is unknown, expired or for another service. */
export async function findGrant(
  services: Pick<Services, "config" | "db" | "log" | "now" | "programs">,
  accessToken: string | null,
  baseUrl: string,
): Promise<Credential | null> {
  if (accessToken === null || !FORM.test(accessToken) || resourceOf(baseUrl) === null) return null;
  // The library is large, and most callers have tokens of the panel.
  const { authorizationServer } = await import("./authorization-server.ts");
  const id = await authorizationServer(services, baseUrl).tokenIdOf(accessToken);
  return id === null ? null : { kind: "token", hash: await grantHash(id) };
}
