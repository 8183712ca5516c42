import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";

import { workerdConfigs } from "../../../src/cli/build/service-config.ts";
import { parseConfig } from "../../../src/config.ts";
import { outgoingOf } from "../../../src/sources/open-source.ts";

test("a started service finds no private address behind a public name", () => {
  const { service } = workerdConfigs(readFileSync("wrangler.toml", "utf8"), "1");
  const reach = (name: string) =>
    new RegExp(String.raw`name = "${name}", network = \(allow = \[([^\]]*)\]`).exec(service)?.[1];
  expect(reach("internet")).toBe('"public"');
  expect(reach("private-network")).toBe('"public", "private"');
});

test("only with ALLOW_PRIVATE_URLS do sources and events use the private network", async () => {
  vi.stubGlobal("fetch", async () => new Response("platform"));
  const privateNetwork = { fetch: async () => new Response("private") };
  const answers = ["false", "true"].map(async (flag) => {
    const config = parseConfig({ ENVIRONMENT: "development", ALLOW_PRIVATE_URLS: flag });
    const { fetch } = outgoingOf({ config, privateNetwork });
    return await (await fetch("http://name.example/", {})).text();
  });
  expect(await Promise.all(answers)).toEqual(["platform", "private"]);
  vi.unstubAllGlobals();
});
