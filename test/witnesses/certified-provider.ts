import { Provider } from "oidc-provider";

import { listen } from "../doubles/listen.ts";

type Person = { email: string; email_verified: boolean; groups: string[] };

/**
 * `oidc-provider`, which is certified, on loopback: it asks for a name and any password, then for
 * consent. Claims of a person are in userinfo, as it does by default.
 */
export async function startCertifiedProvider(
  port: number,
  client: { id: string; secret: string; redirectUri: string },
  people: Record<string, Person>,
) {
  const issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [client.redirectUri],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
      },
    ],
    pkce: { required: () => true },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["groups"] },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...people[sub] }) }),
    cookies: { keys: ["a key of the tests"] },
    features: { devInteractions: { enabled: true } },
  });
  const { stop } = await listen((request, response) => {
    void provider.callback()(request, response);
  }, port);
  return { issuer, stop };
}
