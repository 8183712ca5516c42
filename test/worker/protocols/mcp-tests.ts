import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import { newToken } from "../../../src/access/credential-format.ts";
import { eventually } from "../../support/eventually.ts";
import { freshAddress, ORIGIN } from "../../support/worker-client.ts";
import { addRag, ASKING, program, type ProtocolsWorld } from "./world.ts";

/** A client of the official SDK that calls the Worker. */
export async function connected(token: string, mode: "auto" | "legacy"): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
    fetch: async (url, init) => await exports.default.fetch(fromFreshAddress(url, init)),
  });
  await client.connect(transport);
  return client;
}

function fromFreshAddress(url: string | URL, init: RequestInit | undefined): Request {
  const request = new Request(url, init);
  request.headers.set("X-Forwarded-For", freshAddress());
  return request;
}

type Structured = Record<string, unknown>;

export function mcpTests(world: () => ProtocolsWorld): void {
  describe.each(["auto", "legacy"] as const)("MCP, %s", (mode) => {
    const client = async (covers?: object) => await connected(await world().token(covers), mode);
    const call = async (by: Client, name: string, input: Structured) => {
      const { structuredContent, isError, content } = await by.callTool({ name, arguments: input });
      return { structuredContent, isError, content } as {
        structuredContent?: Structured;
        isError?: boolean;
        content: { text: string }[];
      };
    };

    test("tools are search, fetch, and one for each inference and agent", async () => {
      const { tools } = await (await client()).listTools();
      expect(tools.map(({ name }) => name)).toEqual(
        ["search", "fetch"].concat(
          ["ask", "hidden", "plain", "tools"].map((identifier) => `ask_${identifier}`),
          ["agent_helper", "agent_spy"],
        ),
      );
      for (const { inputSchema, outputSchema } of tools) {
        expect(inputSchema).toMatchObject({ type: "object" });
        // llama.cpp makes no grammar of these.
        expect(JSON.stringify(inputSchema)).not.toMatch(/"(?:pattern|maxLength)":/);
        expect(outputSchema).toMatchObject({ type: "object" });
      }
      const helper = tools.find(({ name }) => name === "agent_helper");
      expect(helper).toMatchObject({ title: "Helper", description: "Helps with the handbook." });
    });

    test("what is found can be fetched; a tool answers with its sources", async () => {
      const session = await client();
      const search = await call(session, "search", {
        query: "boiler service",
        rag: "notes",
        topK: 1,
      });
      expect(search.isError).not.toBe(true);
      const result = {
        id: "notes/handbook/boiler.md",
        title: "boiler.md › Boiler",
        url: "quarry://notes/handbook/boiler.md",
        text: expect.stringContaining("service in spring"),
        rag: "notes",
        path: "handbook/boiler.md",
        page: null,
      };
      expect(search.structuredContent).toMatchObject({ results: [result] });
      expect(JSON.parse(search.content[0]?.text ?? "")).toEqual(search.structuredContent);
      const everywhere = await call(session, "search", { query: "boiler" });
      expect(JSON.stringify(everywhere)).toContain("closed.md");

      const { structuredContent: whole } = await call(session, "fetch", { id: result.id });
      expect(whole).toEqual({
        id: result.id,
        title: "boiler.md",
        text: "# Boiler\n\nThe boiler gets its service in spring.",
        url: result.url,
        metadata: {
          rag: "notes",
          path: "handbook/boiler.md",
          mimeType: "text/markdown",
          size: 48,
          length: 48,
          next: null,
        },
      });
      const { structuredContent: rest } = await call(session, "fetch", {
        id: result.id,
        start: 10,
      });
      expect(rest).toMatchObject({ text: "The boiler gets its service in spring." });

      const prompt = "How many days of leave are there?";
      const answer = await call(session, "ask_ask", { prompt, search: "days of leave" });
      expect(answer.structuredContent).toMatchObject({
        answer: expect.stringContaining("thirty days"),
        sources: expect.arrayContaining([
          expect.objectContaining({ id: "notes/handbook/leave.md" }),
        ]),
      });
      const helped = await call(session, "agent_helper", { prompt });
      expect(helped.structuredContent?.["answer"]).toMatch(/thirty days/);
      for (const { structuredContent } of [answer, helped]) {
        const { sources } = structuredContent as { sources: { id: string }[] };
        const ids = sources.map(({ id }) => id);
        expect(ids).toEqual([...new Set(ids)]);
      }
    });

    test("a caller that asks for progress hears of the search and the answer", async () => {
      const session = await client();
      const progress: string[] = [];
      const request = {
        name: "ask_ask",
        arguments: { prompt: "How many days of leave are there?" },
      };
      const onprogress = ({ message = "" }) => void progress.push(message);
      const { structuredContent } = await session.callTool(request, { onprogress });
      expect(structuredContent).toMatchObject({ answer: expect.stringContaining("thirty days") });
      expect(progress).toEqual([expect.stringMatching(/^Found [1-3] passages$/), "Writing"]);
    });

    test("a file whose newest version has no text says so", async () => {
      const { panel } = world();
      const name = `pages-${mode}`;
      await addRag(panel, name, { "page.html": "<h1>Door</h1><p>The door opens at nine.</p>" });
      const session = await client();
      const id = `${name}/page.html`;
      const { structuredContent } = await call(session, "fetch", { id });
      expect(structuredContent).toMatchObject({ text: expect.stringContaining("at nine") });

      await panel.put(`/file-sources/${name}/files/page.html`, "%PDF broken", "application/pdf");
      const reply = await eventually(async () => {
        const answer = await call(session, "fetch", { id });
        expect(answer.isError).toBe(true);
        return answer;
      });
      expect(reply.content[0]?.text).toMatch(/^The text is not available: a newer version/);
      const search = await call(session, "search", { query: "door opens", rag: name });
      expect(JSON.stringify(search.structuredContent)).toContain("at nine");
    });

    test("files are resources, as Markdown", async () => {
      const session = await client({ rags: ["notes"], inferences: [], agents: [] });
      const { resources } = await session.listResources();
      expect(resources.map(({ uri }) => uri)).toEqual([
        "quarry://notes/handbook/boiler.md",
        "quarry://notes/handbook/leave.md",
        "quarry://notes/reports/boiler.csv",
      ]);
      expect(await session.readResource({ uri: "quarry://notes/handbook/leave.md" })).toMatchObject(
        {
          contents: [
            {
              uri: "quarry://notes/handbook/leave.md",
              mimeType: "text/markdown",
              text: "# Leave\n\nEveryone has thirty days of leave a year.",
            },
          ],
        },
      );
      const { resourceTemplates } = await session.listResourceTemplates();
      expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
        "quarry://{rag}/{+path}",
      ]);
      for (const uri of ["quarry://notes/none.md", "quarry://secrets/closed.md", "file:///a"]) {
        await expect(session.readResource({ uri })).rejects.toThrow(/not found/i);
      }
      const behind = { rag: "notes", path: "handbook/boiler.md" };
      const cursor = Buffer.from(JSON.stringify(behind)).toString("base64url");
      const { resources: rest } = await session.listResources({ cursor });
      expect(rest).toEqual(resources.slice(1));
      await expect(session.listResources({ cursor: "nonsense" })).rejects.toThrow(/cursor/);
    });

    test("an inference or agent is a prompt; RAGs of resources are completed", async () => {
      const session = await client({ rags: ["notes"], inferences: ["ask"], agents: [] });
      const { prompts } = await session.listPrompts();
      expect(prompts).toMatchObject([{ name: "ask_ask", title: "Ask" }]);
      const request = { name: "ask_ask", arguments: { prompt: "Who heats?" } };
      const { messages } = await session.getPrompt(request);
      expect(messages[0]?.content).toMatchObject({
        text: expect.stringMatching(/the tool ask_ask .*Who heats\?$/s),
      });
      await expect(session.getPrompt({ name: "ask_ask" })).rejects.toThrow(/prompt is required/);
      const unknown = session.getPrompt({ name: "ask_hidden" });
      await expect(unknown).rejects.toMatchObject({
        code: -32_602,
        message: expect.stringMatching(/Unknown prompt: ask_hidden. The token covers: ask_ask$/),
      });
      const completed = async (name: string, value: string) => {
        const ref = { type: "ref/resource" as const, uri: "quarry://{rag}/{+path}" };
        return (await session.complete({ ref, argument: { name, value } })).completion.values;
      };
      expect(await completed("rag", "no")).toEqual(["notes"]);
      expect(await completed("rag", "se")).toEqual([]);
      expect(await completed("path", "")).toEqual([]);
    });

    test("a token's tools see only its resources; failures are results", async () => {
      const session = await client({ rags: ["notes"], inferences: ["ask"], agents: [] });
      const { tools } = await session.listTools();
      expect(tools.map(({ name }) => name)).toEqual(["search", "fetch", "ask_ask"]);
      const all = await call(session, "search", { query: "boiler code", topK: 100 });
      expect(JSON.stringify(all)).not.toMatch(/closed|secret/);
      const cases: [string, Structured, RegExp][] = [
        ["search", { query: "boiler", rag: "secrets" }, /^Forbidden$/],
        [
          "search",
          { query: "boiler", rag: "none" },
          /^Not found: there is no RAG with this identifier/,
        ],
        ["search", { query: " " }, /query must not be blank/],
        ["search", { query: "a", topK: 101 }, /topK must be at most 100/],
        ["search", { query: "a", topK: true }, /topK must be a number/],
        ["fetch", { id: "secrets/closed.md" }, /^Forbidden$/],
        ["fetch", { id: "notes/none.md" }, /^Not found: id must be/],
        ["fetch", { id: "nothing" }, /^Not found: id must be/],
        ["ask_ask", {}, /prompt is required/],
      ];
      for (const [name, input, message] of cases) {
        const reply = await call(session, name, input);
        expect({ name, given: input, isError: reply.isError }).toMatchObject({ isError: true });
        expect(reply.content[0]?.text).toMatch(message);
      }
      for (const name of ["ask_hidden", "agent_spy", "rm"]) {
        await expect(session.callTool({ name, arguments: { prompt: "a" } })).rejects.toThrow(
          /Unknown/,
        );
      }
    });
  });

  test("a tool whose name would be too long for clients has a shorter one, and runs", async () => {
    const { panel, token } = world();
    const identifier = `long-${"name-".repeat(11)}end`;
    await panel.send("POST", "/inferences", { name: "Long", identifier, ...ASKING });
    try {
      const covers = { rags: [], inferences: [identifier], agents: [] };
      const session = await connected(await token(covers), "auto");
      const [, , long] = (await session.listTools()).tools;
      expect(long?.name).toMatch(/^ask_long-name-.*_\w+$/);
      expect(long?.name).toHaveLength(64);
      const reply = await session.callTool({
        name: long?.name ?? "",
        arguments: { prompt: "Hello" },
      });
      expect(reply.structuredContent).toHaveProperty("answer");
    } finally {
      await panel.send("DELETE", `/inferences/${identifier}`);
    }
  });

  test("the transport refuses what it must", async () => {
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const Accept = "application/json, text/event-stream";
    const token = await world().token();
    const status = async (by: string | null, body: unknown, more: Record<string, string> = {}) =>
      (await program(by).post("/mcp", body, { Accept, ...more })).status;
    expect(await status(token, ping)).toBe(200);
    expect(await status(token, ping, { Accept: "application/json" })).toBe(200);
    expect(await status(token, ping, { Origin: ORIGIN })).toBe(200);
    expect(await status(token, ping, { Origin: "https://evil.example" })).toBe(403);
    expect(await status(token, [ping, ping])).toBe(400);
    expect(await status(token, "{")).toBe(400);
    expect(await status(token, "x".repeat(2 ** 20 + 1))).toBe(413);
    expect(await status(newToken(), "x".repeat(2 ** 20 + 1))).toBe(401);
    expect(await status(token, { hello: 1 })).toBe(400);
    expect((await program(token).get("/mcp")).status).toBe(405);
    expect((await program(token).get("/mcp/other")).status).toBe(404);
    for (const by of [null, "qry_wrong"]) {
      const {
        status: refusalStatus,
        headers,
        body,
      } = await program(by).post("/mcp", ping, { Accept });
      expect(refusalStatus).toBe(401);
      expect(headers.get("WWW-Authenticate")).toMatch(/^Bearer/);
      expect(body).toMatchObject({ jsonrpc: "2.0", error: { message: "Unauthorized" }, id: null });
    }
  });
}
