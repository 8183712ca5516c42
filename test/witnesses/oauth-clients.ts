import { auth, createMCPClient } from "@ai-sdk/mcp";
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientProvider,
} from "@modelcontextprotocol/client";
import { Client as EarlierClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { BrowserContext } from "playwright-core";
import { expect } from "vitest";

import { listen } from "../doubles/listen.ts";

/** A person's browser, and how far they go. */
export type Person = { context: BrowserContext; rag: string };

/** Opens a program's address, chooses the RAG and presses the button. Ends at the program. */
async function answerConsent(
  { context, rag }: Person,
  address: string,
  button: "Allow" | "Deny",
): Promise<void> {
  const page = await context.newPage();
  await page.goto(address);
  if (button === "Allow") await page.check(`input[name=rags][value=${rag}]`);
  await Promise.all([
    page.waitForURL((url) => url.pathname !== "/authorize"),
    page.click(`button:has-text('${button}')`),
  ]);
  await page.close();
}

/** Where a desktop program waits for its code: any free port of this machine. */
async function loopback() {
  const { server, address, stop } = await listen((request, response) => {
    response.end("Connected");
    server.emit("code", new URL(request.url ?? "/", "http://127.0.0.1"));
  });
  const arrived = once(server, "code") as Promise<[URL]>;
  return { address: `${address}/callback`, arrived, stop };
}

type Kept = {
  client?: Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>;
  tokens?: Awaited<ReturnType<OAuthClientProvider["tokens"]>>;
  verifier: string;
  address: URL | null;
};

/** A program for the official SDK: it keeps what it is given, and opens an address. */
function desktopProgram(redirectUrl: string) {
  const session: Kept = { verifier: "", address: null };
  const provider = {
    redirectUrl,
    clientMetadata: {
      client_name: "Desktop program of the test",
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: "none",
    },
    clientInformation: () => session.client,
    saveClientInformation: (client: Kept["client"]) => void (session.client = client),
    tokens: () => session.tokens,
    saveTokens: (tokens: Kept["tokens"]) => void (session.tokens = tokens),
    redirectToAuthorization: (address: URL) => void (session.address = address),
    saveCodeVerifier: (verifier: string) => void (session.verifier = verifier),
    codeVerifier: () => session.verifier,
  } satisfies OAuthClientProvider;
  return { provider, session };
}

/** The official SDK's client with its provider of credentials, from a bare address to an answer. */
export async function sdkClient(url: string, person: Person) {
  const waiting = await loopback();
  const { provider, session } = desktopProgram(waiting.address);
  const transport = () =>
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider: provider });
  const first = transport();
  const facts = { name: "test", version: "1" };
  await expect(new Client(facts).connect(first)).rejects.toThrow(UnauthorizedError);
  await answerConsent(person, String(session.address), "Allow");
  const [arrived] = await waiting.arrived;
  await first.finishAuth(
    arrived.searchParams.get("code") ?? "",
    arrived.searchParams.get("iss") ?? undefined,
  );
  await waiting.stop();
  const client = new Client(facts);
  await client.connect(transport());
  return { client, session };
}

/** The AI SDK's client with the same provider: what its tool `search` answers. */
export async function aiSdkAnswer(url: string, person: Person, query: string): Promise<string> {
  const waiting = await loopback();
  const { provider: authProvider, session } = desktopProgram(waiting.address);
  const serverUrl = `${url}/mcp`;
  const transport = { type: "http", url: serverUrl, authProvider } as const;
  await expect(createMCPClient({ transport })).rejects.toThrow(/nauthorized/);
  await answerConsent(person, String(session.address), "Allow");
  const [{ searchParams: parameters }] = await waiting.arrived;
  await waiting.stop();
  await auth(authProvider, {
    serverUrl,
    authorizationCode: parameters.get("code") ?? "",
    callbackIssuer: parameters.get("iss") ?? "",
  });
  const client = await createMCPClient({ transport });
  const { search } = await client.tools();
  const answer: unknown = await search?.execute?.(
    { query },
    { toolCallId: "1", messages: [], context: {} },
  );
  await client.close();
  return JSON.stringify(answer);
}

const require = createRequire(import.meta.url);

/** The default of a minute, in which a person would sign in, is short on a busy machine. */
const PATIENT = { timeout: 300_000 };

/** The bridge that starts for programs which know local servers only. */
export async function mcpRemote(url: string, person: Person, folder: string): Promise<string[]> {
  const script = join(dirname(require.resolve("mcp-remote/package.json")), "dist/proxy.js");
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [script, `${url}/mcp`, "--transport", "http-only", "--auth-timeout", "300"],
    // Without a browser that it could open: it prints the address.
    env: { HOME: folder, MCP_REMOTE_CONFIG_DIR: folder, PATH: "/nowhere" },
    stderr: "pipe",
  });
  let output = "";
  const consentAddress = new Promise<string>((resolve) => {
    transport.stderr?.on("data", (piece: Buffer) => {
      output += piece.toString();
      const [address] = /https?:\/\/\S+\/authorize\?\S+/.exec(output) ?? [];
      if (address !== undefined && output.includes(`${address}\n`)) resolve(address);
    });
  });
  const client = new EarlierClient({ name: "test", version: "1" });
  const connecting = client.connect(transport, PATIENT);
  try {
    await answerConsent(person, await consentAddress, "Allow");
    await connecting;
    const { tools } = await client.listTools(undefined, PATIENT);
    await client.close();
    return tools.map(({ name }) => name);
  } catch (cause) {
    throw new Error(`mcp-remote: ${output}`, { cause });
  }
}
