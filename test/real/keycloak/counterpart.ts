import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";

import { ageSessions, checkSettings, roleOf, saveProvider } from "../sign-ins.ts";
import { until, type Counterpart, type Tools } from "../tools.ts";
import { Visitor, type Shown } from "../visitor.ts";
import { Realm } from "./realm.ts";

const VERSION = "26.7.3";
const ARTIFACT = `org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`;
const ADMIN = { KC_BOOTSTRAP_ADMIN_USERNAME: "admin", KC_BOOTSTRAP_ADMIN_PASSWORD: "admin" };
const SCOPES = "openid email profile";
/** It makes the tables of a new database first. */
const PATIENCE_MS = 12 * 60_000;

const programOf = (tools: Tools) => join(tools.cache, `keycloak-${VERSION}/bin/kc.sh`);

export const counterpart: Counterpart = {
  about: "Keycloak as the provider of sign-ins",
  async install(tools) {
    tools.needs("java", "default-jre-headless");
    if (!existsSync(programOf(tools))) {
      const zip = await tools.mavenFile(ARTIFACT, tools.cache);
      await tools.run(tools.needs("unzip", "unzip"), ["-q", "-o", zip, "-d", tools.cache]);
      await tools.run(programOf(tools), ["build", "--db=dev-mem", "--cache=local"]);
    }
    return VERSION;
  },
  async check(tools) {
    const { url, stateFolder, ...service } = await tools.quarryWithRag();
    const realm = await startRealm(tools, `${url}/panel/sign-in/openid/callback`);
    await saveProvider(service.api, providerOf(realm), SCOPES);
    await checkSettings(tools, url);
    await checkSignIns(tools, url, realm);
    // With it, Keycloak keeps no session of its own: every sign-in asks for the password.
    await saveProvider(service.api, providerOf(realm), `${SCOPES} offline_access`);
    const age = async () => await ageSessions(tools, stateFolder);
    await checkSessions(tools, { url, realm, age });
  },
};

const providerOf = ({ issuer, client }: Realm) => ({ name: "Keycloak", issuer, client });

async function startRealm(tools: Tools, redirectUri: string): Promise<Realm> {
  const port = await tools.port();
  const args = ["start", "--optimized", "--http-enabled=true", "--hostname-strict=false"];
  args.push("--http-host=127.0.0.1", `--http-port=${port}`);
  await tools.start(programOf(tools), args, port, {
    env: { ...process.env, ...ADMIN },
    patienceMs: PATIENCE_MS,
  });
  const realm = new Realm(`http://127.0.0.1:${port}`);
  await until(() => realm.signIn());
  await realm.create(redirectUri);
  return realm;
}

/** Leads a person through both services' pages; returns the last page. */
async function signIn(visitor: Visitor, url: string, username: string): Promise<Shown> {
  const form = await visitor.go(`${url}/panel/sign-in/openid?next=/panel/account`);
  return await visitor.send(form, { username, password: "secret" });
}

async function checkSignIns(tools: Tools, url: string, realm: Realm): Promise<void> {
  for (const [username, role] of [
    ["ann", "admin"],
    ["mia", "member"],
  ] as const) {
    await tools.check(`${username} signs in as ${role}`, async () => {
      const visitor = new Visitor();
      const page = await signIn(visitor, url, username);
      assert.match(page.url, /\/panel\/account$/, page.text);
      assert.equal(await roleOf(visitor, url), role);
    });
  }
  for (const [username, why] of [
    ["bob", /not verified/],
    ["eve", /example\.net|not let in|may not|domain|allowed/i],
  ] as const) {
    await tools.check(`${username} is refused in words, and may try another account`, async () => {
      const visitor = new Visitor();
      const page = await signIn(visitor, url, username);
      assert.match(page.text.replace(/<[^>]*>/g, " "), why);
      assert.equal(await roleOf(visitor, url), null);
      const secondPage = await visitor.go(`${url}/panel/sign-in/openid`);
      assert.match(secondPage.text, /<form[^]*name="password"/, "Keycloak asks for the account");
    });
  }
  await tools.check("a session at Keycloak signs in without a password", async () => {
    const visitor = new Visitor();
    await signIn(visitor, url, "mia");
    const page = await visitor.go(`${url}/panel/sign-in/openid?next=/panel/account`);
    assert.match(page.url, /\/panel\/account$/);
  });
  await tools.check("signing out here and there asks for the account again", async () => {
    const visitor = new Visitor();
    const account = await signIn(visitor, url, "mia");
    const form = /<form[^>]*sign-out[^]*?<\/form>/.exec(account.text)?.[0] ?? "";
    const page = await visitor.send({ ...account, text: form }, {});
    assert.match(page.text, /sign-in\/openid\/end/);
    assert.equal(await roleOf(visitor, url), null);
    const confirmation = await visitor.go(`${url}/panel/sign-in/openid/end`);
    assert.ok(confirmation.url.startsWith(realm.issuer), confirmation.url);
    await visitor.send(confirmation, {});
    const secondPage = await visitor.go(`${url}/panel/sign-in/openid`);
    assert.match(secondPage.text, /<form[^]*name="password"/);
  });
  await tools.check("whoever is disabled at Keycloak does not come in", async () => {
    await realm.setEnabled("sam", false);
    const visitor = new Visitor();
    const page = await signIn(visitor, url, "sam");
    assert.ok(page.url.startsWith(realm.issuer.replace(/\/realms.*/, "")), page.url);
    assert.equal(await roleOf(visitor, url), null);
  });
}

type Aging = { url: string; realm: Realm; age: () => Promise<void> };

async function checkSessions(tools: Tools, { url, realm, age }: Aging): Promise<void> {
  const ann = new Visitor();
  const mia = new Visitor();
  await signIn(ann, url, "ann");
  await signIn(mia, url, "mia");
  await tools.check("an hour later the sessions are renewed in the background", async () => {
    await age();
    assert.deepEqual([await roleOf(ann, url), await roleOf(mia, url)], ["admin", "member"]);
  });
  await tools.check("a group that was removed takes the role", async () => {
    await realm.leaveGroup("ann", "admins");
    await age();
    assert.equal(await roleOf(ann, url), "member");
  });
  await tools.check("a person who was disabled has no session", async () => {
    await realm.setEnabled("mia", false);
    await age();
    assert.equal(await roleOf(mia, url), null);
    assert.equal(await roleOf(ann, url), "member");
  });
  await tools.check("tokens of new keys are taken, at most a minute later", async () => {
    await realm.rotateKeys();
    await until(async () => {
      const visitor = new Visitor();
      await signIn(visitor, url, "ann");
      assert.equal(await roleOf(visitor, url), "member");
    });
    await age();
    assert.equal(await roleOf(ann, url), "member");
  });
}
