import { base64url } from "jose";
import { z } from "zod";

import { MINUTE_MS, SECOND_MS, type Now } from "../../core/time.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import { signJwt, type TokenService } from "../access-tokens.ts";

/*
 * https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow
 * https://learn.microsoft.com/entra/identity-platform/reference-error-codes
 */
const LOGIN_BASE_URL = "https://login.microsoftonline.com";
const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

const errorBody = z.object({ error_codes: z.array(z.number()) });

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
    isSigned: isCertificate(app.clientSecret),
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
  const client_assertion = await clientAssertion(clientSecret, clientId, audience, now);
  return { client_assertion_type: ASSERTION_TYPE, client_assertion };
}

const noTenant = ({ tenantId }: EntraApp) =>
  `there is no tenant ${tenantId}: tenantId is the Directory (tenant) ID`;

/** Remedies for refusals, by Entra's AADSTS number. */
const REMEDIES: Record<number, (app: EntraApp) => string> = {
  7000222: ({ clientId }) => `the client secret of app ${clientId} has expired: make a new one`,
  7000215: ({ clientId }) =>
    `the client secret of app ${clientId} is wrong: paste the secret's Value, not its Secret ID`,
  700016: ({ clientId, tenantId }) =>
    `tenant ${tenantId} has no app ${clientId}: clientId is the Application (client) ID, and the app must be of this tenant`,
  90002: noTenant,
  900023: noTenant,
  700027: ({ clientId }) =>
    `the certificate is not registered with app ${clientId}, or has expired: upload it under Certificates & secrets`,
  7000112: ({ clientId }) => `app ${clientId} is disabled: enable it under Enterprise applications`,
  53003: ({ clientId }) => `a Conditional Access policy refuses app ${clientId}`,
};

function refusal(status: number, answer: unknown, app: EntraApp): string {
  const codes = errorBody.safeParse(answer).data?.error_codes ?? [];
  const errorCode = codes.find((code) => code in REMEDIES) ?? codes[0];
  const remedy = REMEDIES[errorCode ?? 0]?.(app);
  const code = errorCode === undefined ? `${status}` : `AADSTS${errorCode}`;
  return `${code}: ${remedy ?? `app ${app.clientId} is refused`}`;
}

/** https://learn.microsoft.com/entra/identity-platform/certificate-credentials */
const ALGORITHM = "PS256";
const LIFETIME_MS = 5 * MINUTE_MS;

/** Whether a client secret is the PEM of a certificate with its key. */
export const isCertificate = (secret: string) => secret.includes("-----BEGIN ");

/**
 * A JWT that proves possession of the certificate's key to Microsoft Entra.
 * @throws SourceFailure `denied` when the PEM cannot be read; it holds nothing of it.
 */
async function clientAssertion(pem: string, clientId: string, audience: string, now: number) {
  const certificate = pemBlock(pem, "CERTIFICATE");
  const key = pemBlock(pem, "PRIVATE KEY");
  if (certificate === null || key === null) {
    const what = certificate === null ? "certificate" : "unencrypted PKCS #8 private key";
    throw new SourceFailure("denied", unusableCertificate(`it holds no ${what}`));
  }
  const iat = Math.floor(now / SECOND_MS);
  const times = { nbf: iat, iat, exp: iat + LIFETIME_MS / SECOND_MS };
  const claims = {
    iss: clientId,
    sub: clientId,
    aud: audience,
    jti: crypto.randomUUID(),
    ...times,
  };
  return await signJwt(claims, {
    key: () => key,
    complaint: unusableCertificate("its private key is damaged or not RSA"),
    algorithm: ALGORITHM,
    header: async () => ({ "x5t#S256": await thumbprintOf(certificate) }),
  });
}

const unusableCertificate = (why: string) =>
  `the certificate in clientSecret cannot be used: ${why}. Paste the PEM of the certificate and of its private key`;

/** The first block of this label, its lines of dashes included. */
function pemBlock(pem: string, label: string): string | null {
  const begin = `-----BEGIN ${label}-----`;
  const end = `-----END ${label}-----`;
  const from = pem.indexOf(begin);
  const to = pem.indexOf(end, from);
  return from < 0 || to < 0 ? null : pem.slice(from, to + end.length);
}

async function thumbprintOf(certificate: string): Promise<string> {
  const body = certificate.split("\n").slice(1, -1).join("").replace(/\s/g, "");
  const bytes = Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
  return base64url.encode(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}
