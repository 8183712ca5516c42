import assert from "node:assert/strict";
import { once } from "node:events";
import { copyFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ageSessions, checkSettings, roleOf, saveProvider } from "../sign-ins.ts";
import { until, type Counterpart, type Tools } from "../tools.ts";
import { Visitor, type Shown } from "../visitor.ts";

const VERSION = "9.13.3";
const CLIENT = { id: "quarry", secret: "the client's secret of 32 characters" };
const SCOPES = "openid email profile offline_access";

type Strict = {
  url: string;
  issuer: string;
  age: () => Promise<void>;
  change: (change: string, name?: string) => Promise<void>;
  /** Ends the provider. */
  end: () => Promise<void>;
};

export const counterpart: Counterpart = {
  about: "oidc-provider in strict settings as the provider of sign-ins",
  async install(tools) {
    const cwd = tools.cache;
    writeFileSync(join(cwd, "package.json"), JSON.stringify({ private: true, type: "module" }));
    if (!existsSync(join(cwd, "node_modules/oidc-provider"))) {
      const packages = [`oidc-provider@${VERSION}`];
      await tools.run("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd });
    }
    copyFileSync(join(import.meta.dirname, "provider.mjs"), join(cwd, "provider.mjs"));
    return VERSION;
  },
  async check(tools) {
    const { url, stateFolder, api } = await tools.quarryWithRag();
    const port = await tools.port();
    const issuer = `http://127.0.0.1:${port}`;
    const env = {
      ...process.env,
      PORT: `${port}`,
      CLIENT_ID: CLIENT.id,
      CLIENT_SECRET: CLIENT.secret,
      REDIRECT_URI: `${url}/panel/sign-in/openid/callback`,
    };
    const program = join(tools.cache, "provider.mjs");
    const { child } = await tools.start(process.execPath, [program], port, { env });
    const change = async (to: string, name = "") => {
      const body = JSON.stringify({ change: to, name });
      await fetch(`${issuer}/control`, { method: "POST", body });
    };
    const end = async () => {
      child.kill("SIGTERM");
      await once(child, "exit");
    };
    // It gives a refresh token only to whom consents (OpenID Connect Core, section 11).
    await saveProvider(api, { name: "Strict", issuer, client: CLIENT }, SCOPES, true);
    const age = async () => await ageSessions(tools, stateFolder);
    await checkStrict(tools, { url, issuer, age, change, end });
  },
};

/** Its forms: the sign-in, the end of another account's session by script, and consent. */
const MAX_FORMS = 4;

/** Leads a person from a page of the provider through its forms. */
async function goOn(visitor: Visitor, page: Shown, login: string): Promise<Shown> {
  let currentPage = page;
  for (let forms = 0; forms < MAX_FORMS && !currentPage.url.includes("/panel/"); forms++) {
    currentPage = await visitor.send(currentPage, { login, password: "any" });
  }
  return currentPage;
}

async function signIn(visitor: Visitor, url: string, login: string): Promise<Shown> {
  return await goOn(
    visitor,
    await visitor.go(`${url}/panel/sign-in/openid?next=/panel/account`),
    login,
  );
}

async function checkStrict(tools: Tools, strict: Strict): Promise<void> {
  const { url } = strict;
  await checkSettings(tools, url);
  for (const [login, role] of [
    ["ann", "admin"],
    ["mia", "member"],
  ] as const) {
    await tools.check(`${login} signs in as ${role}, by a pushed request`, async () => {
      const visitor = new Visitor();
      const page = await signIn(visitor, url, login);
      assert.match(page.url, /\/panel\/account$/, page.text);
      assert.equal(await roleOf(visitor, url), role);
    });
  }
  await checkTabs(tools, strict);
  await checkChanges(tools, strict);
}

async function checkTabs(tools: Tools, { url, issuer }: Strict): Promise<void> {
  await tools.check("two tabs sign in", async () => {
    const visitor = new Visitor();
    const [first, second] = [
      await visitor.go(`${url}/panel/sign-in/openid?next=/panel/account`),
      await visitor.go(`${url}/panel/sign-in/openid?next=/panel/rags`),
    ];
    const later = await goOn(visitor, second, "mia");
    assert.match(later.url, /\/panel\/rags$/, later.text);
    const earlier = await goOn(visitor, first, "mia");
    assert.ok(earlier.url.startsWith(`${url}/panel`), earlier.url);
    assert.equal(await roleOf(visitor, url), "member");
  });
  await tools.check("a wrong account is refused in words, and another may be taken", async () => {
    const visitor = new Visitor();
    const page = await signIn(visitor, url, "eve");
    assert.match(page.text.replace(/<[^>]*>/g, " "), /example\.net|may not|not let in|allowed/i);
    assert.equal(await roleOf(visitor, url), null);
    let start = await visitor.go(`${url}/panel/sign-in/openid?next=/panel/account`);
    // It knows no prompt for another account and refuses it: the next try asks for the sign-in.
    if (!start.url.startsWith(issuer)) {
      start = await visitor.go(`${url}/panel/sign-in/openid?next=/panel/account`);
    }
    const accountPage = await goOn(visitor, start, "mia");
    assert.match(accountPage.url, /\/panel\/account$/, accountPage.text);
    assert.equal(await roleOf(visitor, url), "member");
  });
  await tools.check("signing out here and there asks for the account again", async () => {
    const visitor = new Visitor();
    const account = await signIn(visitor, url, "mia");
    const form = /<form[^>]*sign-out[^]*?<\/form>/.exec(account.text)?.[0] ?? "";
    await visitor.send({ ...account, text: form }, {});
    assert.equal(await roleOf(visitor, url), null);
    const confirmation = await visitor.go(`${url}/panel/sign-in/openid/end`);
    assert.ok(confirmation.url.startsWith(issuer), confirmation.url);
    await visitor.send(confirmation, { logout: "yes" });
    let start = await visitor.go(`${url}/panel/sign-in/openid`);
    if (!start.url.startsWith(issuer)) start = await visitor.go(`${url}/panel/sign-in/openid`);
    assert.match(start.text, /name="login"/);
  });
}

async function checkChanges(tools: Tools, { url, age, change, end }: Strict): Promise<void> {
  const [ann, mia] = [new Visitor(), new Visitor()];
  await signIn(ann, url, "ann");
  await signIn(mia, url, "mia");
  await tools.check("an hour later the sessions are renewed, as often as it passes", async () => {
    for (let hours = 0; hours < 3; hours++) {
      await age();
      assert.deepEqual([await roleOf(ann, url), await roleOf(mia, url)], ["admin", "member"]);
    }
  });
  await tools.check("a group that was removed takes the role", async () => {
    await change("leave", "ann");
    await age();
    assert.equal(await roleOf(ann, url), "member");
  });
  await tools.check("tokens of a new key are taken, at most a minute later", async () => {
    await change("rotate");
    await until(async () => {
      const visitor = new Visitor();
      await signIn(visitor, url, "mia");
      assert.equal(await roleOf(visitor, url), "member");
    });
  });
  await tools.check("whoever is removed at the provider has no session", async () => {
    await change("disable", "ann");
    await age();
    assert.equal(await roleOf(ann, url), null);
  });
  await tools.check("with the provider down, the password form signs in", async () => {
    await end();
    const visitor = new Visitor();
    const answer = await visitor.go(`${url}/panel/sign-in/openid?next=/panel/account`);
    assert.ok(answer.url.startsWith(url) && answer.status < 600, answer.url);
    assert.doesNotMatch(answer.text, /Internal error/);
    const form = await visitor.go(`${url}/panel/sign-in`);
    await visitor.send(form, { email: "admin@localhost", password: "quarry" });
    assert.equal(await roleOf(visitor, url), "admin");
  });
}
