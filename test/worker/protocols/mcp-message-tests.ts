import { expect, test, vi } from "vitest";

import { program, type ProtocolsWorld } from "./world.ts";

/** Messages as clients send them that are not of the official SDK. */
export function mcpMessageTests(world: () => ProtocolsWorld): void {
  test("empty arguments are unset, those in a text are read; nothing to subscribe to", async () => {
    const warned = vi.spyOn(console, "warn");
    const by = program(await world().token({ rags: ["notes"], inferences: [], agents: [] }));
    const Accept = "application/json, text/event-stream";
    const send = async (message: object, more: Record<string, string> = {}) => {
      const headers = { Accept, ...more };
      return await by.post("/mcp", { jsonrpc: "2.0", id: 1, ...message }, headers);
    };
    const input = { query: "boiler", rag: "", topK: null, modifiedAfter: null };
    const calls = {
      method: "tools/call",
      params: { name: "search", arguments: input, _meta: null },
    };
    const fetchCall = { name: "fetch", arguments: null };
    const asText = '{"query":"boiler","topK":"5"}';
    const answers = [
      await send({ method: "ping", params: null }),
      await send({ method: "resources/list", params: { cursor: null } }),
      await send(calls),
      await send({ method: "tools/call", params: fetchCall }),
      await send({ method: "tools/call", params: { name: "search", arguments: asText } }),
    ];
    expect(answers.map(({ body }) => body)).toMatchObject([
      { result: {} },
      { result: { resources: [{}, {}, {}] } },
      {
        result: {
          structuredContent: {
            results: expect.arrayContaining([expect.objectContaining({ rag: "notes" })]),
          },
        },
      },
      { result: { isError: true, content: [{ text: expect.stringMatching(/id is required/) }] } },
      { result: { structuredContent: { results: expect.arrayContaining([expect.anything()]) } } },
    ]);
    const doubled = { "MCP-Protocol-Version": "2025-06-18, 2025-06-18" };
    expect(await send({ method: "ping" }, doubled)).toMatchObject({ status: 200 });
    expect(await send({ method: "ping" }, { "MCP-Protocol-Version": "" })).toMatchObject({
      status: 200,
    });
    const revision = "2026-07-28";
    const facts = { protocolVersion: revision, clientCapabilities: {} };
    const entries = Object.entries(facts);
    const meta = Object.fromEntries(
      entries.map(([name, value]) => [`io.modelcontextprotocol/${name}`, value]),
    );
    const sendNow = async (method: string, params: object, _meta: object | null = meta) =>
      await send(
        { method, params: { ...params, _meta } },
        { "MCP-Protocol-Version": revision, "Mcp-Method": method },
      );
    expect(await sendNow("tools/list", {})).toMatchObject({ status: 200 });
    const unknown = { status: 404, body: { id: 1, error: { code: -32_601 } } };
    expect(await sendNow("subscriptions/listen", { notifications: {} })).toMatchObject(unknown);
    // As go-sdk 1.8 sends them: the revision has neither method.
    expect(await sendNow("ping", {}, null)).toMatchObject(unknown);
    expect(await sendNow("logging/setLevel", { level: "info" }, null)).toMatchObject(unknown);
    expect(await sendNow("tools/list", {}, null)).toMatchObject({ status: 400 });
    expect(warned).not.toHaveBeenCalled();
  });
}
