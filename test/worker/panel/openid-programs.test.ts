import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { purgeEndedGrants } from "../../../src/db/access/grant-store.ts";
import { openDatabase } from "../../../src/db/sql.ts";

import {
  ANN,
  connectProgram,
  isSignedIn,
  later,
  provider,
  rows,
  signedInAs,
  withProvider,
} from "./openid-world.ts";

withProvider();

test("programs end when the provider refuses their person, or has not seen them", async () => {
  const programs = async () => {
    await purgeEndedGrants(openDatabase(env.DB), Date.now());
    return (await rows("select name from tokens where granted_by is not null")).length;
  };
  provider.refreshes = true;
  const browser = await signedInAs();
  await connectProgram();
  provider.wrong = { forgets: true };
  later(50);
  expect(await isSignedIn(browser)).toBe(true);
  later(23 * 60);
  expect(await programs()).toBe(1);
  provider.wrong = {};
  await signedInAs();
  later(2 * 60);
  expect(await programs()).toBe(1);
  later(30 * 24 * 60);
  const offer = (isOffered: boolean) =>
    rows(
      `update openid_provider set settings = json_set(settings, '$.enabled', json('${isOffered}'))`,
    );
  await offer(false);
  expect(await programs()).toBe(1);
  await offer(true);
  expect(await programs()).toBe(0);
  const again = await signedInAs();
  await connectProgram();
  provider.wrong = { forgets: true };
  later(50);
  await isSignedIn(again);
  later(25 * 60);
  expect(await programs()).toBe(0);
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
