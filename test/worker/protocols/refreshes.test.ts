import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import { refreshOnce } from "../../../src/access/programs/refresh-once.ts";
import { composeServices } from "../../../src/compose.ts";
import { asId, type TokenId } from "../../../src/core/ids.ts";
import {
  allow,
  connected,
  redeem,
  refresh,
  register,
  registered,
  signedInPeople,
  toolsOf,
} from "./connecting.ts";
import { setUpProtocols } from "./world.ts";

const { admin } = await signedInPeople(await setUpProtocols());

const later = (seconds: number) =>
  vi.useFakeTimers({ now: Date.now() + seconds * 1_000, toFake: ["Date"] });

test("refreshes at once and repeated ones get one answer, and end nothing", async () => {
  const { clientId, refresh_token: first } = await connected(admin);
  const answers = await Promise.all([1, 2, 3].map(() => refresh(clientId, first)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const [{ body }] = answers as [(typeof answers)[0]];
  for (const answer of answers) expect(answer.body).toEqual(body);
  expect((await refresh(clientId, first)).body).toEqual(body);
  // Some programs repeat the scope of their request.
  const next = await refresh(clientId, body.refresh_token, { scope: "mcp offline_access" });
  expect(next.status).toBe(200);
  expect((await refresh(clientId, first)).status).toBe(400);
  for (const { access_token: access } of [body, next.body]) {
    expect(await toolsOf(access)).toContain("search");
  }
});

test("a repeated refresh is answered to nobody without the program's secret", async () => {
  const { body } = await register({ token_endpoint_auth_method: "client_secret_post" });
  const { client_id: id = "", client_secret: secret } = body as Record<string, string>;
  const proof = { client_secret: secret };
  // Programs register one way to send the secret and use the other.
  const basic = { Authorization: `Basic ${btoa(`${id}:${secret}`)}` };
  const { body: issued } = await redeem(id, await allow(admin, id), {}, basic);
  const next = await refresh(id, issued.refresh_token, proof);
  later(150);
  expect((await refresh(id, issued.refresh_token, proof)).body).toEqual(next.body);
  for (const wrong of [{}, { client_secret: "wrong" }]) {
    const refusal = await refresh(id, issued.refresh_token, wrong);
    expect([refusal.status, refusal.body.access_token]).toEqual([401, undefined]);
  }
  expect(await toolsOf(next.body.access_token)).toContain("search");
});

test("a refresh that was cut off before its answer can be made again", async () => {
  const { clientId, refresh_token: first } = await connected(admin);
  await refresh(clientId, first);
  // As its claim left it: nobody got the new tokens.
  await env.DB.prepare("update tokens set last_refresh = null where refreshed_until > 0").run();
  const renewal = await refresh(clientId, first);
  expect(await toolsOf(renewal.body.access_token)).toContain("search");
  expect((await refresh(clientId, renewal.body.refresh_token)).status).toBe(200);
  later(181);
  expect((await refresh(clientId, first)).status).toBe(400);
  expect(await toolsOf(renewal.body.access_token)).toBe(401);
});

test("a refresh that took too long takes the answer of the one after it from nobody", async () => {
  await connected(admin);
  const query = env.DB.prepare("select id from tokens where client_id is not null limit 1");
  const id = asId<TokenId>((await query.first<{ id: string }>())?.id ?? "");
  let clock = Date.now();
  const services = { ...composeServices(env, createExecutionContext()), now: () => clock };
  const refreshAs = (call: string, work: () => Promise<Response>) =>
    refreshOnce(services, { id, call }, work);
  const { promise: slowAnswer, resolve } = Promise.withResolvers<Response>();
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
  const slow = refreshAs("slow", async () => {
    begin();
    return await slowAnswer;
  });
  await hasBegun;
  clock += 11_000;
  await refreshAs("quick", () => Promise.resolve(new Response("quick")));
  resolve(new Response("slow"));
  await slow;
  const repeated = await refreshAs("quick", () => Promise.reject(new Error("refreshed again")));
  expect(await repeated.text()).toBe("quick");
});

test("an old refresh token ends the connection, also the one before", async () => {
  const { clientId, refresh_token: first } = await connected(admin);
  const { body } = await refresh(clientId, first);
  later(181);
  expect((await refresh(clientId, first)).status).toBe(400);
  expect(await toolsOf(body.access_token)).toBe(401);
});

test("refresh tokens rotate, and an old one ends the connection", async () => {
  const { clientId, refresh_token: first } = await connected(admin);
  const second = await refresh(clientId, first);
  expect(await toolsOf(second.body.access_token)).toContain("search");
  const third = await refresh(clientId, second.body.refresh_token);
  expect(third.status).toBe(200);
  expect((await refresh(await registered(), third.body.refresh_token)).status).toBe(400);
  expect(await toolsOf(third.body.access_token)).toContain("search");
  later(181);
  const replayed = await refresh(clientId, first);
  expect([replayed.status, replayed.body.error_description]).toEqual([400, expect.any(String)]);
  expect(await toolsOf(third.body.access_token)).toBe(401);
  expect((await refresh(clientId, third.body.refresh_token)).status).toBe(400);
});
