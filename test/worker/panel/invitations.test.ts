import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { Browser } from "../../support/browser-without-script.ts";
import { ORIGIN, signedIn, outcomeOf } from "../../support/worker-client.ts";
import { ANN, people, provider, save, signsIn, withProvider } from "./openid-world.ts";

const PASSWORD = "quiet amber lantern";

type Invitation = { id: string; link: string; state: string };

/** Invites somebody; the path of the link. */
async function invited(email: string, role = "member") {
  const admin = await signedIn();
  const response = await admin.send("POST", "/invitations", { email, role });
  const { id, link } = response.body as Invitation;
  return {
    admin,
    response,
    id,
    path: link?.slice(ORIGIN.length),
    code: link?.split("code=")[1] ?? "",
  };
}

const stateOf = async (id: string) => {
  const { body } = await (await signedIn()).send("GET", "/invitations?limit=100");
  return (body as { data: Invitation[] }).data.find((invitation) => invitation.id === id)?.state;
};

const join = async (code: string, password = PASSWORD) => {
  const browser = new Browser();
  const answer = await browser.post("/panel/invitation", { code, password });
  return { ...answer, browser };
};

test("a link lets a person choose a password, once, and signs them in in their role", async () => {
  const { admin, response, id, path, code } = await invited("Newcomer@example.com", "admin");
  expect(response).toMatchObject({
    status: 201,
    body: { email: "newcomer@example.com", state: "open" },
  });
  const list = JSON.stringify((await admin.send("GET", "/invitations")).body);
  expect(list).toContain("newcomer@example.com");
  expect(list).not.toContain(code);
  const browser = new Browser();
  await browser.open(path);
  expect(browser.html).toContain("newcomer@example.com");
  expect((await join(code, "short")).status).toBe(400);
  const weak = await join(code, "password1234");
  expect(weak.browser.html).toContain("is one of the commonly used");
  expect(await stateOf(id)).toBe("open");
  const [first, second] = await Promise.all([join(code), join(code)]);
  expect([first, second].filter(({ status }) => status === 200)).toHaveLength(1);
  const winner = first.status === 200 ? first : second;
  await winner.browser.open("/panel/settings/invitations");
  expect(winner.browser.html).toContain("used");
  expect(await stateOf(id)).toBe("used");
  const late = await join(code, "another good password");
  expect(late.status).toBe(401);
  expect(late.browser.html).toContain("This invitation was used");
  const audit = JSON.stringify((await admin.send("GET", "/audit?limit=100")).body);
  expect(audit).toContain("invitations.accept");
  expect(audit).not.toContain(code);
  expect(
    outcomeOf(
      await admin.send("POST", "/invitations", { email: "newcomer@example.com", role: "member" }),
    ),
  ).toContain("409");
});

test("a withdrawn link, a replaced one and one after three days say so", async () => {
  const email = "late@example.com";
  const first = await invited(email);
  const second = await invited(email);
  expect([await stateOf(first.id), await stateOf(second.id)]).toEqual(["withdrawn", "open"]);
  expect((await join(first.code)).browser.html).toContain("This invitation was withdrawn");
  expect((await first.admin.send("DELETE", `/invitations/${second.id}`)).status).toBe(204);
  expect((await first.admin.send("DELETE", `/invitations/${second.id}`)).status).toBe(409);
  expect((await join(second.code)).browser.html).toContain("This invitation was withdrawn");
  const third = await invited(email);
  const past = "update invitations set expires_at = created_at where id = ?1";
  await env.DB.prepare(past).bind(third.id).run();
  expect((await join(third.code)).browser.html).toContain("This invitation has ended");
  expect((await join("nothing")).browser.html).toContain("There is no such invitation");
  const { results } = await env.DB.prepare("select 1 from users where email = ?1")
    .bind(email)
    .all();
  expect(results).toEqual([]);
});

test("the page shows the link once, and withdraws", async () => {
  const browser = new Browser();
  await browser.signIn();
  await browser.post("/panel/settings/invitations", { email: "page@example.com", role: "member" });
  expect(browser.html).toMatch(/\/panel\/invitation\?code=\w{43}/);
  await browser.open("/panel/settings/invitations");
  expect(browser.html).not.toContain("/panel/invitation?code=");
  const action = /action="([^"]+\/withdraw)"/.exec(browser.html)?.[1] ?? "";
  await browser.post(action, {});
  expect(browser.html).toContain("The invitation is withdrawn.");
});

withProvider();

test("an invited person who signs in with the provider gets the invited role", async () => {
  await save({ adminClaim: "", adminValues: "" });
  const { id, path } = await invited(ANN.email, "admin");
  const browser = new Browser();
  await browser.open(path);
  expect(browser.html).toContain("Continue with");
  provider.person = ANN;
  await signsIn(new Browser());
  expect(await people()).toMatchObject([{ email: ANN.email, role: "admin" }]);
  expect(await stateOf(id)).toBe("used");
});
