import { expect, test } from "vitest";
import { z } from "zod";

import { MINUTE_MS } from "../../../src/core/time.ts";
import { accessTokens, basicCredentials, fixedToken } from "../../../src/sources/access-tokens.ts";
import { ApiClient, nextLink, type Connection } from "../../../src/sources/api-client.ts";
import { githubApis } from "../../../src/sources/github/github-client.ts";
import { googleApi } from "../../../src/sources/google-drive/drive-client.ts";
import { entraTokens } from "../../../src/sources/sharepoint/entra-token.ts";
import { graphApi } from "../../../src/sources/sharepoint/graph-client.ts";
import { certificate } from "../../doubles/microsoft-graph/certificate.ts";
import { failureOf } from "../../doubles/source/simulated-scans.ts";

const NOW = Date.UTC(2026, 10, 29);
const { signal } = new AbortController();

function clientOf(answer: Response, tokens = fixedToken("t")) {
  const calls: { address: string; headers: Headers }[] = [];
  const provider = {
    name: "Wiki",
    baseUrl: "https://api.example.com",
    answerLimitBytes: 1_000,
    headers: { accept: "application/json" },
    codeIn: () => "",
    remedyFor: () => undefined,
  };
  const fetch = async (address: string, { headers }: RequestInit) => {
    calls.push({ address, headers: new Headers(headers) });
    return answer.clone();
  };
  const connection = { outgoing: { fetch, allowPrivate: false }, now: () => NOW, tokens };
  return { client: new ApiClient(provider, connection, AbortSignal.timeout(9_000)), calls };
}

const KEY = certificate();
const ENTRA = {
  tenantId: "t",
  clientId: "c",
  clientSecret: KEY.privateKey + KEY.pem,
  loginBaseUrl: undefined,
  apiBaseUrl: "https://graph.example",
};

// https://github.com/googleapis/google-auth-library-nodejs/issues/129
test.each<[string, number, (connection: Pick<Connection, "outgoing" | "now">) => ApiClient]>([
  [
    "Google",
    400,
    ({ outgoing, now }) => {
      const account = { client_email: "a@b.test", private_key: KEY.privateKey };
      const app = { outgoing, now, account, subject: undefined, apiBaseUrl: undefined };
      return googleApi("drive", app, "")(signal);
    },
  ],
  [
    "Microsoft Entra",
    401,
    ({ outgoing, now }) => {
      const tokens = accessTokens(entraTokens(ENTRA, now), outgoing, now);
      const graph = { apiBaseUrl: ENTRA.apiBaseUrl, remedy: "" };
      return graphApi({ outgoing, now, tokens }, graph)(signal);
    },
  ],
  [
    "GitHub",
    401,
    (connection) => {
      const app = { appId: "1", installationId: "2", privateKey: KEY.privateKey };
      return githubApis("https://api.github.com", app, connection).rest(signal);
    },
  ],
])(
  "a clock that differs from that of %s is told before the refusal's own reason",
  async (...each) => {
    const [name, status, clientOf] = each;
    const refusal = async (date: number) => {
      const headers = { date: new Date(date).toUTCString() };
      const fetch = async () => Response.json({ error: "invalid_grant" }, { status, headers });
      const client = clientOf({ outgoing: { fetch, allowPrivate: false }, now: () => NOW });
      return await failureOf(client.get(z.unknown(), "x", {}));
    };
    const { message } = await refusal(NOW);
    expect(message).not.toContain("clock");
    const clocks = `the clocks of ${name} and of this service differ by 9 minutes; `;
    const both = message.replace(/(?<=: )/, clocks);
    expect(await refusal(NOW - 9 * MINUTE_MS)).toMatchObject({ kind: "denied", message: both });
  },
);

test("fixed credentials are sent once, as Bearer or as Basic", async () => {
  const refusal = new Response(null, { status: 401 });
  const bearer = clientOf(refusal);
  await bearer.client.ask(z.unknown(), bearer.client.address("pages"));
  expect(bearer.calls.map(({ headers }) => headers.get("authorization"))).toEqual(["Bearer t"]);
  const basic = clientOf(refusal, basicCredentials("jürgen", "p:w"));
  await basic.client.ask(z.unknown(), basic.client.address("pages"));
  const credentials = Buffer.from("jürgen:p:w").toString("base64");
  expect(basic.calls[0]?.headers.get("authorization")).toBe(`Basic ${credentials}`);
});

test("a token may have a header of its own", async () => {
  const { client, calls } = clientOf(Response.json([]), fixedToken("t", "private-token"));
  await client.ask(z.unknown(), client.address("pages"));
  expect(calls[0]?.headers.get("private-token")).toBe("t");
  expect(calls[0]?.headers.has("authorization")).toBe(false);
});

test.for([
  ["Retry-After", { "retry-after": "7" }, 7_000],
  [
    "a reset in seconds",
    { "x-ratelimit-remaining": "0", "x-ratelimit-reset": `${NOW / 1_000 + 90}` },
    90_000,
  ],
  [
    "a reset as a date",
    { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "2026-11-29T00:01Z" },
    60_000,
  ],
  ["a reset after seconds", { "ratelimit-remaining": "0", "ratelimit-reset": "45" }, 45_000],
  ["a limit that is not used up", { "x-ratelimit-remaining": "5", "x-ratelimit-reset": "9" }, null],
] as const)("waits by %s", async ([, headers, wait]) => {
  const { client } = clientOf(new Response("{}", { status: 429, headers }));
  const failure = await failureOf(client.get(z.unknown(), "pages", {}));
  expect(failure.retryAfterMs).toBe(wait);
});

test("a conditional request is told that nothing changed", async () => {
  const { client, calls } = clientOf(new Response(null, { status: 304 }));
  const headers = { "if-none-match": '"a"' };
  const reply = await client.ask(z.unknown(), client.address("pages"), { headers });
  expect(reply).toMatchObject({ error: { status: 304 } });
  expect(calls[0]?.headers.get("if-none-match")).toBe('"a"');
  expect(calls[0]?.headers.get("accept")).toBe("application/json");
});

test("the next page is read from the Link header, on the same host only", async () => {
  const link =
    '<https://evil.example.com/2?a=1>; rel="next", <https://api.example.com/9>; rel="last"';
  const { client, calls } = clientOf(Response.json([], { headers: { link } }));
  const reply = await client.ask(z.array(z.unknown()), client.address("pages"));
  const next = "headers" in reply ? nextLink(reply.headers) : null;
  expect(next).toBe("https://evil.example.com/2?a=1");
  const failure = await failureOf(client.ask(z.unknown(), next ?? ""));
  expect(failure.message).toBe("Wiki: a link to another host");
  expect(calls).toHaveLength(1);
  expect(nextLink(new Headers({ link: '<https://api.example.com/1>; rel="prev"' }))).toBeNull();
});

test("a listing whose pages stay empty, or lead to themselves, is ended", async () => {
  const link = '<https://api.example.com/pages>; rel="next"';
  const { client } = clientOf(Response.json([], { headers: { link } }));
  const listing = client.all(z.array(z.unknown()), client.address("pages"));
  expect((await failureOf(listing)).kind).toBe("our-limit");
});
