import {
  exportJWK,
  generateKeyPair,
  SignJWT,
  UnsecuredJWT,
  type CryptoKey,
  type JWTHeaderParameters,
} from "jose";

type Claims = Record<string, unknown>;
type SignInRequest = { redirectUri: string; challenge: string; nonce: string };

/** Deviations of a wrong provider. */
export type Wrong = Partial<{
  /** In place of what the ID token would say; undefined: it does not say it. */
  claims: Claims;
  userinfo: Claims;
  metadata: Claims;
  header: Partial<JWTHeaderParameters>;
  /** In place of what the token endpoint would say. */
  tokens: Claims;
  /** Signs with a key that it does not publish, with what the client knows, or not at all. */
  signs: "with another key" | "with the client's secret" | "not";
  /** Its answers are these, in place of its own. */
  status: number;
  /** Refuses every refresh token. */
  forgets: boolean;
  /** Codes are good for as often as one likes. */
  codesLast: boolean;
  /** Takes sign-ins only by pushed requests (RFC 9126). */
  pushed: boolean;
  /** Knows these values of `prompt` only, as node-oidc-provider does (`invalid_request`). */
  prompts: string[];
}>;

export const CLIENT = { id: "quarry", secret: "the client's secret" };

/**
 * An OpenID provider that signs in whoever comes as `person`: codes once, PKCE, a client secret,
 * refresh tokens that rotate. It can be made to answer wrongly.
 */
export class OpenidDouble {
  person: Claims = {};
  wrong: Wrong = {};
  refreshes = false;
  refusesUserinfo = false;
  /** The `prompt` parameter of the latest sign-in. */
  prompt: string | null = null;
  /** Requests by path. */
  readonly requests: string[] = [];
  /** Tokens and verifiers that went over the wire. */
  readonly verifiers: string[] = [];
  readonly #codes = new Map<string, SignInRequest>();
  readonly #refreshTokens = new Set<string>();
  readonly #pushed = new Map<string, URLSearchParams>();
  #keys: { kid: string; pair: { privateKey: CryptoKey; publicKey: CryptoKey } }[] = [];
  issuer: string;

  constructor(issuer: string) {
    this.issuer = issuer;
  }

  /** Signs with a new key from now on and forgets the one before. */
  async rotateKeys(): Promise<void> {
    const pair = await generateKeyPair("ES256");
    this.#keys = [{ kid: crypto.randomUUID(), pair }];
  }

  /** Signs the person in at this address, and returns where the browser is sent back to. */
  authorize(address: string): URL {
    const { searchParams } = new URL(address);
    const pushed = this.#pushed.get(searchParams.get("request_uri") ?? "");
    if (this.wrong.pushed === true && pushed === undefined) throw new Error("nothing was pushed");
    const parameters = pushed ?? searchParams;
    const expected = { response_type: "code", client_id: CLIENT.id, code_challenge_method: "S256" };
    for (const [name, value] of Object.entries(expected)) {
      if (parameters.get(name) !== value) throw new Error(`${name} is ${parameters.get(name)}`);
    }
    const code = crypto.randomUUID();
    const redirectUri = parameters.get("redirect_uri") ?? "";
    this.prompt = parameters.get("prompt");
    const challenge = parameters.get("code_challenge") ?? "";
    this.#codes.set(code, { redirectUri, challenge, nonce: parameters.get("nonce") ?? "" });
    const back = new URL(redirectUri);
    if (this.#knowsPrompt()) back.searchParams.set("code", code);
    else back.searchParams.set("error", "invalid_request");
    back.searchParams.set("state", parameters.get("state") ?? "");
    back.searchParams.set("iss", this.issuer);
    return back;
  }

  #knowsPrompt(): boolean {
    const prompts = this.prompt?.split(" ") ?? [];
    return prompts.every((value) => this.wrong.prompts?.includes(value) ?? true);
  }

  readonly fetch = async (address: string, request: RequestInit): Promise<Response> => {
    const path = address.slice(this.issuer.length);
    this.requests.push(path);
    if (this.wrong.status !== undefined) return new Response("no", { status: this.wrong.status });
    if (path === "/.well-known/openid-configuration") return Response.json(this.#metadata());
    if (path === "/keys") return Response.json({ keys: await this.#published() });
    if (path === "/userinfo" && this.refusesUserinfo) {
      const headers = { "WWW-Authenticate": 'Bearer error="invalid_token"' };
      return new Response(null, { status: 401, headers });
    }
    if (path === "/userinfo") {
      return Response.json({ sub: this.person["sub"], ...this.person, ...this.wrong.userinfo });
    }
    if (path === "/token") return await this.#token(new Request(address, request));
    if (path === "/par") return await this.#par(new Request(address, request));
    return new Response("not found", { status: 404 });
  };

  #metadata(): Claims {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      userinfo_endpoint: `${this.issuer}/userinfo`,
      jwks_uri: `${this.issuer}/keys`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      id_token_signing_alg_values_supported: ["ES256"],
      authorization_response_iss_parameter_supported: true,
      end_session_endpoint: `${this.issuer}/end`,
      ...(this.wrong.pushed === true && {
        pushed_authorization_request_endpoint: `${this.issuer}/par`,
        require_pushed_authorization_requests: true,
      }),
      ...this.wrong.metadata,
    };
  }

  async #published(): Promise<Claims[]> {
    return await Promise.all(
      this.#keys.map(async ({ kid, pair }) =>
        Object.assign(await exportJWK(pair.publicKey), { kid, alg: "ES256", use: "sig" }),
      ),
    );
  }

  async #par(request: Request): Promise<Response> {
    if (!isClient(request)) return refusal("invalid_client", 401);
    const uri = `urn:ietf:params:oauth:request_uri:${crypto.randomUUID()}`;
    const form = new URLSearchParams(await request.text());
    this.prompt = form.get("prompt");
    if (!this.#knowsPrompt()) return refusal("invalid_request");
    this.#pushed.set(uri, form);
    return Response.json({ request_uri: uri, expires_in: 60 }, { status: 201 });
  }

  async #token(request: Request): Promise<Response> {
    if (!isClient(request)) return refusal("invalid_client", 401);
    const form = new URLSearchParams(await request.text());
    if (form.get("grant_type") === "refresh_token") return await this.#refreshed(form);
    const grant = this.#askedWith(form.get("code") ?? "");
    this.verifiers.push(form.get("code_verifier") ?? "");
    const challenge = await challengeOf(form.get("code_verifier") ?? "");
    const isRight =
      grant?.redirectUri === form.get("redirect_uri") && grant.challenge === challenge;
    return isRight ? await this.#tokens(grant.nonce) : refusal("invalid_grant");
  }

  async #refreshed(form: URLSearchParams): Promise<Response> {
    const isKnown = this.#refreshTokens.delete(form.get("refresh_token") ?? "");
    return isKnown && this.wrong.forgets !== true
      ? await this.#tokens()
      : Response.json({ error: "invalid_grant" }, { status: 400 });
  }

  #askedWith(code: string): SignInRequest | undefined {
    const grant = this.#codes.get(code);
    if (this.wrong.codesLast !== true) this.#codes.delete(code);
    return grant;
  }

  async #tokens(nonce?: string): Promise<Response> {
    const refreshToken = this.refreshes ? crypto.randomUUID() : undefined;
    if (refreshToken !== undefined) this.#refreshTokens.add(refreshToken);
    const [accessToken, idToken] = [crypto.randomUUID(), await this.#idToken(nonce)];
    this.verifiers.push(
      accessToken,
      idToken,
      ...(refreshToken === undefined ? [] : [refreshToken]),
    );
    return Response.json({
      access_token: accessToken,
      token_type: "Bearer",
      id_token: idToken,
      refresh_token: refreshToken,
      ...this.wrong.tokens,
    });
  }

  async #idToken(nonce: string | undefined): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const standard = { iss: this.issuer, aud: CLIENT.id, iat: now, exp: now + 300, nonce };
    const claims = { ...standard, ...this.person, ...this.wrong.claims };
    if (this.wrong.signs === "not") return new UnsecuredJWT(claims).encode();
    if (this.wrong.signs === "with the client's secret") {
      const secret = new TextEncoder().encode(CLIENT.secret.padEnd(32));
      return await new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).sign(secret);
    }
    const [key] = this.#keys;
    if (key === undefined) throw new Error("rotateKeys makes the first key");
    const foreignKey =
      this.wrong.signs === "with another key" ? await generateKeyPair("ES256") : null;
    return await new SignJWT(claims)
      .setProtectedHeader({ alg: "ES256", kid: key.kid, ...this.wrong.header })
      .sign((foreignKey ?? key.pair).privateKey);
  }
}

const refusal = (error: string, status = 400) => Response.json({ error }, { status });

/** Both parts are sent form-encoded (RFC 6749, 2.3.1). */
function isClient({ headers }: Request): boolean {
  const credentials = atob(headers.get("Authorization")?.slice("Basic ".length) ?? "");
  return decodeURIComponent(credentials.replaceAll("+", " ")) === `${CLIENT.id}:${CLIENT.secret}`;
}

async function challengeOf(verifier: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return Buffer.from(bytes).toString("base64url");
}
