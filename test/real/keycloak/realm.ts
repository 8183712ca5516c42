/** People of the realm by name: each has the password `secret`. */
const PEOPLE: Record<string, { email: string; emailVerified: boolean; groups: string[] }> = {
  ann: { email: "ann@example.com", emailVerified: true, groups: ["/admins"] },
  mia: { email: "mia@example.com", emailVerified: true, groups: [] },
  sam: { email: "sam@example.com", emailVerified: true, groups: [] },
  bob: { email: "bob@example.com", emailVerified: false, groups: ["/admins"] },
  eve: { email: "eve@example.net", emailVerified: true, groups: ["/admins"] },
};

type Listed = { id: string; name?: string };

/**
 * A realm of Keycloak by its administration:
 * https://www.keycloak.org/docs-api/latest/rest-api/index.html
 */
export class Realm {
  readonly #server: string;
  #token = "";
  readonly client = { id: "quarry", secret: "the client's secret of 32 characters" };

  constructor(server: string) {
    this.#server = server;
  }

  get issuer(): string {
    return `${this.#server}/realms/office`;
  }

  async signIn(): Promise<void> {
    const grant = { grant_type: "password", client_id: "admin-cli" };
    const response = await fetch(`${this.#server}/realms/master/protocol/openid-connect/token`, {
      method: "POST",
      body: new URLSearchParams({ ...grant, username: "admin", password: "admin" }),
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    const { access_token: token }: { access_token: string } = await response.json();
    this.#token = token;
  }

  async create(redirectUri: string): Promise<void> {
    const mapper = {
      name: "groups",
      protocol: "openid-connect",
      protocolMapper: "oidc-group-membership-mapper",
      config: { "claim.name": "groups", "full.path": "false", "id.token.claim": "true" },
    };
    const client = {
      clientId: this.client.id,
      secret: this.client.secret,
      redirectUris: [redirectUri],
      publicClient: false,
      attributes: { "pkce.code.challenge.method": "S256" },
      protocolMappers: [mapper],
    };
    await this.#send("POST", "", { realm: "office", enabled: true });
    await this.#send("POST", "/office/groups", { name: "admins" });
    await this.#send("POST", "/office/clients", client);
    const credentials = [{ type: "password", value: "secret", temporary: false }];
    for (const [username, person] of Object.entries(PEOPLE)) {
      const names = { username, firstName: username, lastName: "Example" };
      const user = { ...names, ...person, enabled: true, credentials };
      await this.#send("POST", "/office/users", user);
    }
  }

  async setEnabled(username: string, enabled: boolean): Promise<void> {
    await this.#send("PUT", `/office/users/${await this.#idOf(username)}`, { enabled });
  }

  async leaveGroup(username: string, group: string): Promise<void> {
    const groups = (await this.#send("GET", "/office/groups")) as Listed[];
    const { id = "" } = groups.find(({ name }) => name === group) ?? {};
    await this.#send("DELETE", `/office/users/${await this.#idOf(username)}/groups/${id}`);
  }

  /** A new key signs; the keys before it are removed. */
  async rotateKeys(): Promise<void> {
    const type = "type=org.keycloak.keys.KeyProvider";
    const before = (await this.#send("GET", `/office/components?${type}`)) as (Listed & {
      providerId: string;
    })[];
    await this.#send("POST", "/office/components", {
      name: "newer",
      providerId: "rsa-generated",
      providerType: "org.keycloak.keys.KeyProvider",
      config: { priority: ["200"], algorithm: ["RS256"] },
    });
    for (const { id, providerId } of before) {
      if (providerId === "rsa-generated") await this.#send("DELETE", `/office/components/${id}`);
    }
  }

  async #idOf(username: string): Promise<string> {
    const users = (await this.#send("GET", `/office/users?username=${username}`)) as Listed[];
    return users[0]?.id ?? "";
  }

  /** An administrator's token is good for a minute. */
  async #send(method: string, path: string, body: unknown = null): Promise<unknown> {
    await this.signIn();
    const response = await fetch(`${this.#server}/admin/realms${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.#token}`, "Content-Type": "application/json" },
      body: body === null ? null : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? null : JSON.parse(text);
  }
}
