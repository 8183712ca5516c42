import { expect, test } from "vitest";

import { Browser } from "../../support/browser-without-script.ts";
import { eventually } from "../../support/eventually.ts";
import { signedIn } from "../../support/worker-client.ts";

type Event = { target: string; count: number; status: number };

test("refusals that are one entry name the last thing that was refused", async () => {
  const admin = await signedIn();
  const names = Array.from({ length: 20 }, (_, number) => `nowhere-${number}`);
  for (const name of names) await admin.send("DELETE", `/rags/${name}`);
  await eventually(async () => {
    const { body } = await admin.send("GET", "/audit?action=rags.remove&limit=100");
    const { data } = body as { data: Event[] };
    expect(data.reduce((sum, { count }) => sum + count, 0)).toBe(20);
    expect(data.length).toBeLessThan(20);
    const last = data.find(({ target }) => target === names.at(-1));
    expect(last).toMatchObject({ status: 404, count: expect.any(Number) });
  });
  const browser = new Browser();
  await browser.signIn();
  await browser.open("/panel/settings/log?action=rags.remove");
  expect(browser.text).toMatch(/\d times in an hour refused, 404 ?, last: nowhere-19/);
});
