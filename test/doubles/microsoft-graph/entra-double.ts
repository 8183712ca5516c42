import { importSPKI, jwtVerify, decodeProtectedHeader } from "jose";
import { createHash } from "node:crypto";

import { json } from "./answers.ts";

/*
 * https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow
 * https://learn.microsoft.com/entra/identity-platform/certificate-credentials
 */
const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const MAX_ASSERTION_SECONDS = 600;
/** As Entra allows; MSAL rounds its clock, up to half a second into the future. */
const CLOCK_SKEW_SECONDS = 300;

type Certificate = { publicKey: string; der: Uint8Array };
/** `audience`: the API that it is for. */
type Issued = { expiresAt: number; audience: string; byCertificate: boolean };

/** One tenant of Microsoft Entra with one app, and the endpoint that gives it access tokens. */
export class EntraDouble {
  readonly tenantId = "11111111-2222-3333-4444-555555555555";
  readonly clientId = "99999999-8888-7777-6666-555555555555";
  secret = "a-client~secret.value";
  secretExpired = false;
  disabled = false;
  certificate: Certificate | null = null;
  tokenSeconds = 3_599;
  now = () => Date.now();
  /** How many access tokens were asked for. */
  granted = 0;
  readonly #tokens = new Map<string, Issued>();

  expireTokens(): void {
    this.#tokens.clear();
  }

  issueToken(audience: string, byCertificate = false): string {
    const token = `eyJ0.${crypto.randomUUID()}`;
    const expiresAt = this.now() + this.tokenSeconds * 1_000;
    this.#tokens.set(token, { expiresAt, audience, byCertificate });
    return token;
  }

  takes(token: string | undefined, audience: string, { byCertificate = false } = {}): boolean {
    const issued = this.#tokens.get(token ?? "");
    if (issued === undefined || issued.expiresAt <= this.now()) return false;
    return issued.audience === audience && (issued.byCertificate || !byCertificate);
  }

  /** `POST /{tenant}/oauth2/v2.0/token` at this address. */
  async grant(tenant: string, address: string, body: string, apis: string[]): Promise<Response> {
    const form = new URLSearchParams(body);
    const audience = form.get("scope")?.replace(/\/\.default$/, "") ?? "";
    const isKnown = apis.includes(audience);
    const refusal = await this.#refusal(tenant, address, form, isKnown);
    if (refusal !== null) return refusalAnswer(...refusal);
    this.granted += 1;
    const access_token = this.issueToken(audience, form.has("client_assertion"));
    return json({ token_type: "Bearer", expires_in: this.tokenSeconds, access_token });
  }

  async #refusal(
    tenant: string,
    address: string,
    form: URLSearchParams,
    isKnown: boolean,
  ): Promise<[error: string, code: number] | null> {
    if (form.get("grant_type") !== "client_credentials") return ["unsupported_grant_type", 70003];
    if (tenant !== this.tenantId) return ["invalid_request", 90002];
    if (form.get("client_id") !== this.clientId) return ["unauthorized_client", 700016];
    if (!isKnown) return ["invalid_scope", 70011];
    if (this.disabled) return ["unauthorized_client", 7000112];
    const assertion = form.get("client_assertion");
    if (assertion !== null) {
      const isRight = form.get("client_assertion_type") === ASSERTION_TYPE;
      return isRight && (await this.#verifies(assertion, address))
        ? null
        : ["invalid_client", 700027];
    }
    if (form.get("client_secret") !== this.secret) return ["invalid_client", 7000215];
    return this.secretExpired ? ["invalid_client", 7000222] : null;
  }

  async #verifies(assertion: string, audience: string): Promise<boolean> {
    if (this.certificate === null) return false;
    const { publicKey, der } = this.certificate;
    try {
      const { alg, "x5t#S256": thumbprint } = decodeProtectedHeader(assertion);
      const expected = createHash("sha256").update(der).digest("base64url");
      const key = await importSPKI(publicKey, "PS256");
      const { payload } = await jwtVerify(assertion, key, {
        issuer: this.clientId,
        subject: this.clientId,
        audience,
        currentDate: new Date(this.now()),
        clockTolerance: CLOCK_SKEW_SECONDS,
      });
      const { exp = 0, nbf = 0, jti = "" } = payload;
      return (
        alg === "PS256" &&
        thumbprint === expected &&
        exp - nbf <= MAX_ASSERTION_SECONDS &&
        jti.length > 0
      );
    } catch {
      return false;
    }
  }
}

/** https://learn.microsoft.com/entra/identity-platform/reference-error-codes */
function refusalAnswer(error: string, code: number): Response {
  const error_description = `AADSTS${code}: The request is refused. Trace ID: ${crypto.randomUUID()}`;
  return json(
    { error, error_description, error_codes: [code], timestamp: "2026-01-01 00:00:00Z" },
    error === "invalid_client" ? 401 : 400,
  );
}
