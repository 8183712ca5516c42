import { z } from "zod";

import type { Now } from "../../core/time.ts";
import type { TokenService } from "../access-tokens.ts";
import { clientAssertion, isCertificate } from "./client-assertion.ts";

/*
 * https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow
 * https://learn.microsoft.com/entra/identity-platform/reference-error-codes
 */
const LOGIN_BASE_URL = "https://login.microsoftonline.com";
const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

const refused = z.object({ error_codes: z.array(z.number()) });

export type EntraApp = {
  tenantId: string;
  clientId: string;
  clientSecret: string;
  loginBaseUrl: string | undefined;
  /** The API that the token is for, without a trailing slash. */
  apiBaseUrl: string;
};

/** An app that acts by its own credentials. */
export function entraTokens(app: EntraApp, now: Now): TokenService {
  const base = (app.loginBaseUrl ?? LOGIN_BASE_URL).replace(/\/$/, "");
  const address = `${base}/${app.tenantId}/oauth2/v2.0/token`;
  return {
    name: "Microsoft Entra",
    address,
    form: async () => ({
      grant_type: "client_credentials",
      client_id: app.clientId,
      scope: `${app.apiBaseUrl}/.default`,
      ...(await credentialOf(app, address, now())),
    }),
    explain: (status, answer) => refusal(status, answer, app),
  };
}

async function credentialOf({ clientId, clientSecret }: EntraApp, audience: string, now: number) {
  if (!isCertificate(clientSecret)) return { client_secret: clientSecret };
  const client_assertion = await clientAssertion(clientSecret, { clientId, audience, now });
  return { client_assertion_type: ASSERTION_TYPE, client_assertion };
}

const noTenant = ({ tenantId }: EntraApp) =>
  `there is no tenant ${tenantId}: tenantId is the Directory (tenant) ID`;

/** What to do about a refusal, by Entra's AADSTS number. */
const REMEDIES = new Map<number, (app: EntraApp) => string>([
  [7000222, ({ clientId }) => `the client secret of app ${clientId} has expired: make a new one`],
  [
    7000215,
    ({ clientId }) =>
      `the client secret of app ${clientId} is wrong: paste the secret's Value, not its Secret ID`,
  ],
  [
    700016,
    ({ clientId, tenantId }) =>
      `tenant ${tenantId} has no app ${clientId}: clientId is the Application (client) ID, and the app must be of this tenant`,
  ],
  [90002, noTenant],
  [900023, noTenant],
  [
    700027,
    ({ clientId }) =>
      `the certificate is not registered with app ${clientId}, or has expired: upload it under Certificates & secrets`,
  ],
  [
    7000112,
    ({ clientId }) => `app ${clientId} is disabled: enable it under Enterprise applications`,
  ],
  [53003, ({ clientId }) => `a Conditional Access policy refuses app ${clientId}`],
]);

function refusal(status: number, answer: unknown, app: EntraApp): string {
  const codes = refused.safeParse(answer).data?.error_codes ?? [];
  const told = codes.find((code) => REMEDIES.has(code)) ?? codes[0];
  const remedy = told === undefined ? undefined : REMEDIES.get(told)?.(app);
  const code = told === undefined ? `${status}` : `AADSTS${told}`;
  return `${code}: ${remedy ?? `app ${app.clientId} is refused`}`;
}
