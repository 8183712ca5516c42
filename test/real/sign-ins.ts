import assert from "node:assert/strict";

import type { PanelApi } from "../../src/cli/api/clients.ts";
import type { Tools } from "./tools.ts";
import { Visitor } from "./visitor.ts";

/** Time passes for the sessions of a state: their provider is asked again. */
const AGE = `
import glob, sqlite3, sys
for path in glob.glob(sys.argv[1] + "/**/*.sqlite", recursive=True):
    database = sqlite3.connect(path, timeout=30)
    if database.execute("select 1 from sqlite_master where name = 'sessions'").fetchone():
        with database:
            database.execute("""update sessions set vouched_until = 1, checking_until = 0
                where vouched_until is not null""")
`;

/** An hour passes for the sessions of a state. */
export async function ageSessions(tools: Tools, stateFolder: string): Promise<void> {
  await tools.run(tools.needs("python3", "python3"), ["-c", AGE, stateFolder]);
}

type Provider = { name: string; issuer: string; client: { id: string; secret: string } };

/** People of example.com sign in with this provider; members of `admins` administer. */
export async function saveProvider(
  api: PanelApi,
  provider: Provider,
  scopes: string,
  consent = false,
): Promise<void> {
  const settings = {
    name: provider.name,
    issuer: provider.issuer,
    clientId: provider.client.id,
    clientSecret: provider.client.secret,
    domains: ["example.com"],
    adminClaim: "groups",
    adminValues: ["admins"],
    scopes,
    consent,
    enabled: true,
  };
  const saved = await api.PUT("/sign-in", { body: settings });
  assert.equal(saved.response.status, 200);
}

export async function checkSettings(tools: Tools, url: string): Promise<void> {
  await tools.check("the test of the settings finds nothing wrong", async () => {
    const admin = new Visitor();
    const page = await admin.go(`${url}/panel/sign-in`);
    await admin.send(page, { email: "admin@localhost", password: "quarry" });
    const { text } = await admin.go(`${url}/panel/settings/sign-in/test`, {});
    assert.match(text, /knows the client and its secret/);
    assert.doesNotMatch(text, /failed/);
  });
}

export async function roleOf(visitor: Visitor, url: string): Promise<string | null> {
  const { status, text } = await visitor.go(`${url}/panel/api/session`);
  if (status !== 200) return null;
  return (JSON.parse(text) as { user: { role: string } }).user.role;
}
