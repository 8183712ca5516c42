import { ConfidentialClientApplication, type INetworkModule } from "@azure/msal-node";
import { SPBrowser, spfi } from "@pnp/sp";
import "@pnp/sp/webs/index.js";
import "@pnp/sp/site-groups/web.js";
import "@pnp/sp/site-users/web.js";
import { createHash } from "node:crypto";
import { expect, test } from "vitest";

import { certificate } from "../../../doubles/microsoft-graph/certificate.ts";
import { GraphDouble, LOGIN_BASE } from "../../../doubles/microsoft-graph/graph-double.ts";

/** Microsoft's client for tokens, its requests answered by the double. */
function tokensOf(graph: GraphDouble, { privateKey, der }: ReturnType<typeof certificate>) {
  const authority = `${LOGIN_BASE}/${graph.entra.tenantId}`;
  const send =
    (method: string): INetworkModule["sendPostRequestAsync"] =>
    async (url, { headers = {}, body = null } = {}) => {
      const answer = await graph.fetch(url, { method, headers, body });
      return { status: answer.status, headers: {}, body: await answer.json() };
    };
  const endpoints = {
    issuer: `${authority}/v2.0`,
    authorization_endpoint: `${authority}/oauth2/v2.0/authorize`,
    token_endpoint: `${authority}/oauth2/v2.0/token`,
    jwks_uri: `${authority}/discovery/v2.0/keys`,
  };
  const thumbprintSha256 = createHash("sha256").update(der).digest("hex");
  return new ConfidentialClientApplication({
    auth: {
      clientId: graph.entra.clientId,
      authority,
      knownAuthorities: [new URL(LOGIN_BASE).host],
      authorityMetadata: JSON.stringify(endpoints),
      clientCertificate: { thumbprintSha256, privateKey },
    },
    system: {
      networkClient: { sendGetRequestAsync: send("GET"), sendPostRequestAsync: send("POST") },
    },
  });
}

test("PnPjs reads members of a site's group by a certificate, with Microsoft's MSAL", async () => {
  const graph = new GraphDouble();
  graph.site("hr");
  const members = Array.from({ length: 2 }, (_, at) => `i:0#.f|membership|p${at}@contoso.example`);
  graph.siteGroups.set(5, members);
  const own = certificate();
  graph.entra.certificate = own;
  const tokens = tokensOf(graph, own);
  const sharePoint = spfi(`${graph.contentBase}/sites/hr`).using(
    SPBrowser(),
    (instance: Parameters<ReturnType<typeof SPBrowser>>[0]) => {
      instance.on.send.replace(async (url, init) => await graph.fetch(String(url), init));
      instance.on.auth(async (url, init) => {
        const scopes = [`${graph.contentBase}/.default`];
        const { accessToken = "" } =
          (await tokens.acquireTokenByClientCredential({ scopes })) ?? {};
        return [
          url,
          { ...init, headers: { ...init.headers, Authorization: `Bearer ${accessToken}` } },
        ];
      });
      return instance;
    },
  );
  const users = sharePoint.web.siteGroups.getById(5).users;
  const read: { LoginName: string }[] = await users();
  expect(read.map(({ LoginName }) => LoginName)).toEqual(members);
  expect(graph.entra.granted).toBe(1);
  await expect(sharePoint.web.siteGroups.getById(6).users()).rejects.toMatchObject({ status: 404 });
  graph.mayReadSiteGroups = false;
  await expect(users()).rejects.toMatchObject({ status: 403 });
  graph.entra.certificate = certificate();
  const other = tokensOf(graph, own).acquireTokenByClientCredential({
    scopes: [`${graph.contentBase}/.default`],
  });
  await expect(other).rejects.toThrow("AADSTS700027");
});
