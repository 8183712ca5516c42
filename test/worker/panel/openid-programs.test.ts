import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { recheckDueSessions } from "../../../src/access/openid/recheck-session.ts";
import { composeServices } from "../../../src/compose.ts";
import { purgeEndedGrants } from "../../../src/db/access/grant-store.ts";
import { purgeExpired } from "../../../src/db/access/session-store.ts";
import {
  ANN,
  connectProgram,
  isSignedIn,
  later,
  provider,
  rows,
  save,
  signedInAs,
  withProvider,
} from "./openid-world.ts";

withProvider();

const services = composeServices(env, createExecutionContext());
const OFFLINE = { scopes: "openid email profile offline_access" };

/** How many programs are left after a minute's maintenance. */
async function programs(): Promise<number> {
  await purgeExpired(services.db, Date.now());
  await purgeEndedGrants(services.db, Date.now());
  await recheckDueSessions(services);
  return (await rows("select name from tokens where granted_by is not null")).length;
}

const hours = (count: number) => later(count * 60);
const renewals = () => provider.requests.filter((path) => path === "/token").length - 1;

test("programs end within a day when the provider refuses their person", async () => {
  provider.refreshes = true;
  await save(OFFLINE);
  const browser = await signedInAs();
  await connectProgram();
  provider.wrong = { forgets: true };
  later(50);
  expect(await isSignedIn(browser)).toBe(true);
  hours(11);
  expect(await programs()).toBe(1);
  hours(1);
  expect(await programs()).toBe(0);
});

test("a session of the provider that was idle for too long ends no programs", async () => {
  provider.refreshes = true;
  const browser = await signedInAs();
  await connectProgram();
  provider.wrong = { forgets: true };
  later(50);
  expect(await isSignedIn(browser)).toBe(true);
  hours(29 * 24);
  expect(await programs()).toBe(1);
  const offer = (isOffered: boolean) =>
    rows(
      `update openid_provider set settings = json_set(settings, '$.enabled', json('${isOffered}'))`,
    );
  hours(24);
  await offer(false);
  expect(await programs()).toBe(1);
  await offer(true);
  expect(await programs()).toBe(0);
});

test("people with programs are renewed in the background, also after they signed out", async () => {
  provider.refreshes = true;
  await save(OFFLINE);
  const browser = await signedInAs();
  const otherBrowser = await signedInAs({ ...ANN, sub: "bob-1", email: "bob@example.com" });
  provider.person = { ...ANN };
  await connectProgram("ann@example.com");
  await browser.post("/panel/sign-out");
  await otherBrowser.post("/panel/sign-out");
  expect(await isSignedIn(browser)).toBe(false);
  await programs();
  expect(await rows("select 1 from sessions where vouched_until is not null")).toHaveLength(1);
  const before = renewals();
  hours(11);
  expect([await programs(), renewals() - before]).toEqual([1, 0]);
  for (const renewed of [1, 2, 3]) {
    hours(13);
    expect([await programs(), renewals() - before]).toEqual([1, renewed]);
  }
  provider.wrong = { status: 503 };
  hours(13);
  expect(await programs()).toBe(1);
  provider.wrong = {};
  provider.person = { ...ANN, email: "ann@elsewhere.test" };
  hours(1);
  expect(await programs()).toBe(0);
  expect(await rows("select 1 from sessions where vouched_until is not null")).toEqual([]);
});

test("a new sign-in takes over the renewals of earlier ones", async () => {
  provider.refreshes = true;
  await save(OFFLINE);
  for (const _ of [1, 2]) {
    const browser = await signedInAs();
    await connectProgram();
    await browser.post("/panel/sign-out");
  }
  await signedInAs();
  expect(await rows("select 1 from sessions where vouched_until is not null")).toHaveLength(1);
});

test("programs of whom the provider demotes lose what is closed to members", async () => {
  await signedInAs({ ...ANN, groups: ["admins"] });
  await connectProgram();
  await env.DB.batch([
    env.DB.prepare(
      `insert into agents (id, name, identifier, system_prompt, model, created_at, open_to_members)
       values ('open', 'open', 'open', '', 'm', 0, 1), ('closed', 'closed', 'closed', '', 'm', 0, 0)`,
    ),
    env.DB.prepare("insert into token_agents select 'connected', id from agents"),
  ]);
  const covered = () => rows("select agent_id from token_agents where token_id = 'connected'");
  await signedInAs({ ...ANN, groups: ["admins", "staff"] });
  expect(await covered()).toHaveLength(2);
  await signedInAs();
  expect(await covered()).toEqual([{ agent_id: "open" }]);
});
