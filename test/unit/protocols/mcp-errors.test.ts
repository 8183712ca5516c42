import { expect, test } from "vitest";

import { jsonLog } from "../../../src/core/log.ts";
import { serve } from "../../../src/protocols/mcp/serve.ts";
import type { Session } from "../../../src/protocols/mcp/session.ts";

/** A database that fails as D1 does: its message quotes the statement's parameters. */
const failing = {
  $client: {
    prepare: () => ({
      bind: () => {
        throw new Error("D1_ERROR: near 'the secret of the house'");
      },
    }),
  },
};

test("what fails inside is a defect in the log, and not a word of it is answered", async () => {
  const lines: string[] = [];
  const services = { reads: failing, log: jsonLog((_, line) => lines.push(line)) };
  const session = {
    services,
    credential: { kind: "token", hash: "0" },
    caller: { tokenId: null },
    signal: new AbortController().signal,
  } as unknown as Session;
  const ask = async (method: string, params: object) => {
    const headers = {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    };
    const request = new Request("http://localhost/mcp", { method: "POST", headers });
    return await (await serve(session, request, { jsonrpc: "2.0", id: 1, method, params })).text();
  };
  const listing = await ask("resources/list", {});
  expect(JSON.parse(listing)).toMatchObject({ error: { message: "Internal server error" } });
  const called = await ask("tools/call", { name: "search", arguments: { query: "a" } });
  expect(JSON.parse(called)).toMatchObject({
    result: { isError: true, content: [{ text: "Internal server error" }] },
  });
  expect(listing + called).not.toMatch(/secret|D1_ERROR/);
  expect(lines.filter((line) => line.includes('"defect"'))).toHaveLength(2);
});
