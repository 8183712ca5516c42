import { OAuthAuthorizationServer, OAuthError } from "@cloudflare/workers-oauth-provider";

import { unprocessable } from "../../core/errors.ts";
import { asId, type TokenId } from "../../core/ids.ts";
import { isObject } from "../../core/is-object.ts";
import { SECOND_MS } from "../../core/time.ts";
import { endGrant, GRANT_IDLE_MS, isGrantOfProgram } from "../../db/access/grant-store.ts";
import { isGrantOpen, redeemGrant } from "../../db/access/grant-store.ts";
import type { Services } from "../../services.ts";
import { recordEvent } from "../audit/record-event.ts";
import { resourceOf } from "./addresses.ts";
import { refreshOnce } from "./refresh-once.ts";
import { makeRoom, registrationFacts, UNUSED_S } from "./registrations.ts";

type AuthServices = Pick<Services, "config" | "db" | "log" | "now" | "programs">;

/** Bytes. Longer keys are an error of the platform, and strangers choose parts of ours. */
const MAX_KEY_BYTES = 512;

/** The first token keeps a registration as long as a grant. */
const GRANT_S = GRANT_IDLE_MS / SECOND_MS;

export type AuthorizationServer = ReturnType<typeof authorizationServer>;

/**
 * The authorization server of the service at this address. In the library's words, the user of a
 * grant is its row in our tokens: the first part of each code and token is the row's id. What the
 * row forbids is refused, whatever the library still stores. `network`: who calls, for registering.
 * @throws QuarryError `unprocessable` where OAuth is not offered.
 */
export function authorizationServer(services: AuthServices, baseUrl: string, network = "") {
  const resource = resourceOf(baseUrl);
  if (resource === null) throw unprocessable("Programs connect over https, or on this machine");
  const state = { isReplay: false, takesPrevious: false };
  const env = { OAUTH_KV: createStorage(services, network, state) };
  const server = (clientRegistrationTTL: number, fetchesDocuments = true) =>
    new OAuthAuthorizationServer<typeof env>({
      issuer: baseUrl,
      resources: [resource],
      clientRegistrationEndpoint: `${baseUrl}/oauth/register`,
      clientRegistrationTTL,
      // Which of them are sent a code is judged with each request (`appOfRedirect`).
      allowPrivateUseRedirectUris: true,
      clientRegistrationCallback: () => makeRoom(services, network),
      clientIdMetadataDocumentEnabled: fetchesDocuments && isPrivateFetchBlocked(),
      refreshTokenTTL: GRANT_S,
      refreshTokenIdleTTL: GRANT_S,
      tokenExchangeCallback: async ({ grantType, userId }) => {
        const isFirst = grantType.toString() === "authorization_code";
        if (!(await mayIssue(services, asId(userId), isFirst))) throw endedGrant();
      },
      // The library would write to the console; the request's own line has the status.
      onError: ({ internal: { category, reason } }) => {
        state.isReplay = reason === "refresh_token_mismatch";
        services.log.info("oauth refused", { category, reason });
      },
    });
  const issuing = server(GRANT_S);
  const helpers = issuing.getOAuthApi(env);
  return {
    resource,
    helpers,
    /** Metadata, tokens and revocation. */
    async issue(request: Request, context: ExecutionContext) {
      if (request.method !== "POST") return await issuing.fetch(request, env, context);
      const text = await new Response(request.clone().body).text();
      const form = new URLSearchParams(text);
      const [id = "", grantId = ""] = secretIn(form).split(":");
      // The document of a stranger is not fetched.
      const isOurs = await isGrantOfProgram(services.db, id, form.get("client_id"));
      const issue = () => (isOurs ? issuing : server(GRANT_S, false)).fetch(request, env, context);
      if (!isOurs || form.get("grant_type") !== "refresh_token") return await issue();
      const call = `${request.headers.get("Authorization")} ${text}`;
      return await refreshOnce(services, { id: asId(id), call }, async (last) => {
        state.takesPrevious = last.isCutOff;
        const answered = await issue();
        // Either the program or a thief of its token came late: nobody can tell which.
        if (state.isReplay && !last.isRecent) await helpers.revokeGrant(grantId, id);
        return answered;
      });
    },
    register: (request: Request, context: ExecutionContext) =>
      server(UNUSED_S).fetch(request, env, context),
    /** The row of an access token that was issued for our resource; null: none of ours. */
    async tokenIdOf(accessToken: string): Promise<TokenId | null> {
      const valid = await issuing.validateToken(resource, accessToken, env);
      return valid === null ? null : asId<TokenId>(valid.userId);
    },
  };
}

const secretIn = (form: URLSearchParams): string =>
  form.get("code") ?? form.get("refresh_token") ?? form.get("token") ?? "";

const endedGrant = () =>
  new OAuthError("invalid_grant", {
    description: "This connection has ended, or its code was used already: connect again",
  });

/** A code is taken once, here, because the library's store knows no such step. */
async function mayIssue(
  { db, now }: AuthServices,
  id: TokenId,
  isFirst: boolean,
): Promise<boolean> {
  return isFirst ? await redeemGrant(db, id, now()) : await isGrantOpen(db, id, now());
}

/** Whether the platform keeps documents of programs from being fetched from private addresses. */
const isPrivateFetchBlocked = (): boolean =>
  Cloudflare.compatibilityFlags["global_fetch_strictly_public"] === true;

/**
 * The storage of the library: registered programs, and hashes of codes and tokens. A grant that it
 * ends (revoked, or a code or an old refresh token came again) ends its token as well.
 */
function createStorage(services: AuthServices, network: string, state: { takesPrevious: boolean }) {
  const { programs, db } = services;
  return {
    async get(key: string, options?: KVNamespaceGetOptions<"json">): Promise<unknown> {
      if (Buffer.byteLength(key) > MAX_KEY_BYTES) return null;
      if (options === undefined) return await programs.get(key);
      const value = await programs.get(key, options);
      if (state.takesPrevious) return value;
      // Its successor may be in use: `refreshOnce` answers whoever has lost it.
      return isObject(value) ? { ...value, previousRefreshTokenId: undefined } : value;
    },
    put: (key: string, value: string, options: KVNamespacePutOptions) =>
      programs.put(key, value, { ...options, ...registrationFacts(key, value, network) }),
    list: programs.list.bind(programs),
    async delete(key: string) {
      const [kind, tokenId = ""] = key.split(":");
      if (kind === "grant") {
        const name = await endGrant(db, asId(tokenId));
        const actor = { kind: "token" as const, id: tokenId, name };
        const event = { action: "tokens.disconnect", target: tokenId, status: 200 } as const;
        if (name !== null) await recordEvent(services, { actor, ...event });
      }
      await programs.delete(key);
    },
  };
}
