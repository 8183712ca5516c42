import { jwtVerify } from "jose";

import { json } from "./answers.ts";

/*
 * https://developers.google.com/identity/protocols/oauth2/service-account#httprest
 */
export const BASE = "https://drive.example";
const TOKEN_URI = `${BASE}/token`;
const SCOPE = "https://www.googleapis.com/auth/drive.readonly";
const GROUPS_SCOPE = "https://www.googleapis.com/auth/admin.directory.group.member.readonly";

/** A service account with one key, and the endpoint that gives it access tokens. */
export class ServiceAccountDouble {
  readonly email = "quarry@project.iam.gserviceaccount.com";
  privateKey = "";
  #publicKey: CryptoKey | null = null;
  #tokenUri = TOKEN_URI;
  /** With the scope that each is for. */
  readonly #tokens = new Map<string, string>();

  /** Makes this the account of another drive, with its key. */
  sameAs(account: ServiceAccountDouble): this {
    this.privateKey = account.privateKey;
    this.#publicKey = account.#publicKey;
    return this;
  }

  /** The account's key file; each call revokes the one before. */
  async makeKey(): Promise<void> {
    const algorithm = {
      name: "RSASSA-PKCS1-v1_5",
      modulusLength: 2_048,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: "SHA-256",
    };
    const pair = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
    if (!("publicKey" in pair)) throw new Error("no key pair");
    const pkcs8 = await crypto.subtle.exportKey("pkcs8", pair.privateKey);
    if (!(pkcs8 instanceof ArrayBuffer)) throw new Error("no PKCS 8");
    const body =
      Buffer.from(pkcs8)
        .toString("base64")
        .match(/.{1,64}/g) ?? [];
    this.privateKey = `-----BEGIN PRIVATE KEY-----\n${body.join("\n")}\n-----END PRIVATE KEY-----\n`;
    this.#publicKey = pair.publicKey;
  }

  /** `tokenUri`: where the double answers, if not at its made-up address. */
  keyFile(tokenUri = TOKEN_URI) {
    this.#tokenUri = tokenUri;
    return {
      type: "service_account",
      client_email: this.email,
      private_key: this.privateKey,
      private_key_id: "k1",
      token_uri: tokenUri,
    };
  }

  expireTokens(): void {
    this.#tokens.clear();
  }

  issueToken(scope = SCOPE): string {
    const token = `ya29.${crypto.randomUUID()}`;
    this.#tokens.set(token, scope);
    return token;
  }

  takes(token: string | undefined, path = ""): boolean {
    const scope = path.startsWith("/admin/") ? GROUPS_SCOPE : SCOPE;
    return this.#tokens.get(token ?? "") === scope;
  }

  async grant(body: string): Promise<Response> {
    const form = new URLSearchParams(body);
    const grant = form.get("grant_type");
    if (grant !== "urn:ietf:params:oauth:grant-type:jwt-bearer" || this.#publicKey === null) {
      return json({ error: "unsupported_grant_type" }, 400);
    }
    let scope = SCOPE;
    try {
      const { payload } = await jwtVerify(form.get("assertion") ?? "", this.#publicKey, {
        issuer: this.email,
        audience: this.#tokenUri,
      });
      const { exp = 0, iat = 0 } = payload;
      scope = String(payload["scope"]);
      const isKnown = scope === SCOPE || scope === GROUPS_SCOPE;
      if (exp - iat > 3_600 || !isKnown) throw new Error("claims");
      if (payload.sub !== undefined) return json({ error: "unauthorized_client" }, 401);
    } catch {
      const error_description = "Invalid JWT Signature.";
      return json({ error: "invalid_grant", error_description }, 400);
    }
    return json({ access_token: this.issueToken(scope), expires_in: 3_599, token_type: "Bearer" });
  }
}
