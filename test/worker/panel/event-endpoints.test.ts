import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeEach, expect, test, vi } from "vitest";

import { Browser } from "../../support/browser-without-script.ts";
import { signedIn, outcomeOf } from "../../support/worker-client.ts";

const URL = "https://hooks.example.com/quarry";

type Sent = { body: string; headers: Record<string, string> };
const receiver = { sent: [] as Sent[], status: 204 };

beforeEach(() => {
  receiver.sent = [];
  receiver.status = 204;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_url, init) => {
    receiver.sent.push({
      body: typeof init?.body === "string" ? init.body : "",
      headers: Object.fromEntries(new Headers(init?.headers)),
    });
    return new Response(null, { status: receiver.status });
  });
});

afterAll(async () => {
  await env.DB.prepare("delete from event_endpoints").run();
});

type Endpoint = { id: string; secret: string };
type Delivery = { id: string; status: string; body: string; answer: string; tries: number };

test("an endpoint is tested, and a delivery sent again with its id", async () => {
  const admin = await signedIn();
  const response = await admin.send("POST", "/event-endpoints", { url: URL });
  const { id, secret } = response.body as Endpoint;
  expect(response.status).toBe(201);
  expect(response.body).toEqual({
    id: expect.any(String),
    url: URL,
    events: ["*"],
    ragIdentifiers: [],
    enabled: true,
    failingSince: null,
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
  });
  const delivery = (await admin.send("POST", `/event-endpoints/${id}/test`, {})).body as Delivery;
  expect(delivery).toMatchObject({
    type: "endpoint.test",
    status: "delivered",
    answer: "204",
    nextAt: null,
    tries: 1,
  });
  const [first] = receiver.sent;
  new Webhook(secret).verify(first?.body ?? "", first?.headers ?? {});
  receiver.status = 503;
  const resend = await admin.send(
    "POST",
    `/event-endpoints/${id}/deliveries/${delivery.id}/resend`,
    {},
  );
  expect(resend.body).toMatchObject({
    id: delivery.id,
    status: "delivered",
    answer: "503",
    tries: 2,
  });
  expect(receiver.sent.map(({ headers }) => headers["webhook-id"])).toEqual([
    delivery.id,
    delivery.id,
  ]);
  const renewed = (await admin.send("POST", `/event-endpoints/${id}/secret`, {})).body as Endpoint;
  expect(renewed.secret).not.toBe(secret);
  const deliveries = await admin.send("GET", `/event-endpoints/${id}/deliveries`);
  expect(deliveries.body).toMatchObject({ total: 1, data: [{ body: first?.body }] });
  const patch = { events: ["file.indexed"], enabled: false };
  expect((await admin.send("PATCH", `/event-endpoints/${id}`, patch)).body).toMatchObject(patch);
  const everything = [
    (await admin.send("GET", "/event-endpoints")).body,
    (await admin.send("GET", "/audit?limit=100")).body,
  ];
  expect(JSON.stringify(everything)).toContain(URL);
  for (const key of [secret, renewed.secret]) expect(JSON.stringify(everything)).not.toContain(key);
  expect((await admin.send("DELETE", `/event-endpoints/${id}`)).status).toBe(204);
  expect((await admin.send("GET", `/event-endpoints/${id}/deliveries`)).status).toBe(404);
});

test.each([
  [{ url: "http://127.0.0.1/x" }, "url: the host is not a public address"],
  [{ url: "ftp://example.com" }, "url must be an http or https URL"],
  [{ url: URL, events: ["file.lost"] }, "events[0]"],
  [{ url: URL, events: [] }, "events"],
  [{ url: URL, secret: "mine" }, "secret"],
  [{ url: URL, ragIdentifiers: ["handbok"] }, "ragIdentifiers: there is no handbok"],
])("an endpoint as %j is refused", async (body, reason) => {
  const admin = await signedIn();
  const refusal = await admin.send("POST", "/event-endpoints", body);
  expect(outcomeOf(refusal)).toContain(`400 Invalid request: ${reason}`);
});

test("members neither read nor change endpoints", async () => {
  const admin = await signedIn();
  const { id } = (await admin.send("POST", "/event-endpoints", { url: URL })).body as Endpoint;
  const person = { email: "endpoints@example.com", password: "correct horse battery" };
  await admin.send("POST", "/users", { ...person, role: "member" });
  const member = new Browser();
  await member.signIn(person.email, person.password);
  for (const path of [
    "/panel/settings/events",
    `/panel/settings/events/${id}`,
    "/panel/settings/invitations",
    "/panel/api/event-endpoints",
    `/panel/api/event-endpoints/${id}/deliveries`,
    "/panel/api/invitations",
  ]) {
    expect((await member.open(path)).status).toBe(403);
  }
});

test("the page shows the secret once, and deliveries, and sends them again", async () => {
  const browser = new Browser();
  await browser.signIn();
  const { location } = await browser.post("/panel/settings/events", {
    url: URL,
    events: "scan.failed\nscan.finished",
    ragIdentifiers: "",
    enabled: "on",
  });
  const path = location ?? "";
  expect(path).toMatch(/^\/panel\/settings\/events\/./);
  expect(browser.html).toContain("whsec_");
  await browser.open(path);
  expect(browser.html).not.toContain("whsec_");
  receiver.status = 500;
  await browser.post(`${path}/test`, {});
  expect(browser.html).toContain("It was not delivered: 500.");
  expect(browser.html).toContain("{&quot;type&quot;:&quot;endpoint.test&quot;");
  receiver.status = 200;
  const action = /action="([^"]+\/resend)"/.exec(browser.html)?.[1] ?? "";
  await browser.post(action, {});
  expect(browser.html).toContain("It was delivered: 200.");
  await browser.post(path, { url: "http://10.0.0.1", events: "*", ragIdentifiers: "" });
  expect(browser.html).toContain("the host is not a public address");
  const disabled = "update event_endpoints set enabled = 0, failing_since = 1 where url = ?1";
  await env.DB.prepare(disabled).bind(URL).run();
  await browser.post("/panel/first-steps/close", {});
  await browser.open("/panel");
  expect(browser.html).toContain("It failed for three days, or answered that it is gone (410).");
  await browser.post(`${path}/remove`, {});
  await browser.open("/panel/settings/events");
  expect(browser.html).not.toContain(path);
});
