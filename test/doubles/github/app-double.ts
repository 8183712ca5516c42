import { importSPKI, jwtVerify } from "jose";
import { generateKeyPairSync } from "node:crypto";

/** https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app */
const MAX_ASSERTION_SECONDS = 600;
const TOKEN_MS = 60 * 60_000;

/** An app, its key as GitHub hands it out (PKCS #1), and tokens of its installation. */
export class AppDouble {
  readonly appId = "4711";
  readonly installationId = "99";
  #keys: { publicKey: string; privateKey: string } | null = null;
  readonly #tokens = new Set<string>();

  get keys() {
    this.#keys ??= generateKeyPairSync("rsa", {
      modulusLength: 2_048,
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs1", format: "pem" },
    });
    return this.#keys;
  }

  credentials() {
    const { appId, installationId } = this;
    return { appId, installationId, privateKey: this.keys.privateKey };
  }

  takes = (token: string | undefined) => token !== undefined && this.#tokens.has(token);

  expireTokens(): void {
    this.#tokens.clear();
  }

  async grant(url: URL, headers: Headers, now: number): Promise<Response> {
    const jwt = headers.get("authorization")?.replace("Bearer ", "") ?? "";
    try {
      const key = await importSPKI(this.keys.publicKey, "RS256");
      const currentDate = new Date(now);
      const { payload } = await jwtVerify(jwt, key, { issuer: this.appId, currentDate });
      const { iat = 0, exp = Infinity } = payload;
      if (iat > now / 1_000 || exp - now / 1_000 > MAX_ASSERTION_SECONDS) throw new Error("times");
    } catch {
      return Response.json({ message: "A JSON web token could not be decoded" }, { status: 401 });
    }
    if (url.pathname !== `/app/installations/${this.installationId}/access_tokens`)
      return Response.json({ message: "Not Found" }, { status: 404 });
    const token = `ghs_${crypto.randomUUID()}`;
    this.#tokens.add(token);
    const expires_at = new Date(now + TOKEN_MS).toISOString().replace(/\.\d+Z$/, "Z");
    return Response.json({ token, expires_at, permissions: { contents: "read" } }, { status: 201 });
  }
}
