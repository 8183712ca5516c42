import "@pnp/sp/webs/index.js";
import "@pnp/sp/site-groups/web.js";
import "@pnp/sp/site-users/web.js";

import { ConfidentialClientApplication, type INetworkModule } from "@azure/msal-node";
import {
  AuthenticationHandler,
  Client,
  GraphError,
  PageIterator,
  type Context,
  type Middleware,
  type PageCollection,
} from "@microsoft/microsoft-graph-client";
import { SPBrowser, spfi } from "@pnp/sp";
import { createHash } from "node:crypto";
import { expect, test } from "vitest";

import { certificate } from "../doubles/microsoft-graph/certificate.ts";
import { link, user } from "../doubles/microsoft-graph/grant.ts";
import { GraphDouble, LOGIN_BASE } from "../doubles/microsoft-graph/graph-double.ts";
import { serveFetch } from "../doubles/serve-fetch.ts";

const PUBLIC = "https://graph.example";

/** The last of the client's middleware: the double's port stands for the public address. */
class ToDouble implements Middleware {
  readonly #address: string;

  constructor(address: string) {
    this.#address = address;
  }

  async execute(context: Context): Promise<void> {
    const { request } = context;
    const address = typeof request === "string" ? request : request.url;
    const url = address.replace(PUBLIC, this.#address);
    context.response = await fetch(url, { ...context.options, redirect: "follow" });
  }
}

/** Microsoft's client sends its token to https only, so the double is given such a name. */
async function served(graph: GraphDouble) {
  const server = await serveFetch(graph.fetch);
  graph.baseUrl = PUBLIC;
  graph.contentBase = server.address;
  const getAccessToken = async () => graph.entra.issueToken(graph.baseUrl);
  const first = new AuthenticationHandler({ getAccessToken });
  first.setNext(new ToDouble(server.address));
  const client = Client.initWithMiddleware({
    middleware: first,
    baseUrl: PUBLIC,
    customHosts: new Set(["graph.example"]),
  });
  return { client, server };
}

test("Microsoft's own client lists, downloads, follows and subscribes at the double", async () => {
  const graph = new GraphDouble();
  const { library } = graph.site("hr");
  const file = library.file(library.root, "a.txt", "plain");
  const folder = library.folder(library.root, "Folder");
  const inside = library.file(folder, "b.txt", "b");
  const { client, server } = await served(graph);
  try {
    const site = await client.api("/sites/contoso.sharepoint.example:/sites/hr").get();
    const { value: drives } = await client.api(`/sites/${site.id}/drives`).get();
    expect(drives).toMatchObject([{ id: library.id, name: "Documents" }]);
    const root = `/drives/${drives[0].id}/root`;
    const items: unknown[] = [];
    const page: PageCollection = await client.api(`${root}/delta`).top(2).get();
    const pages = new PageIterator(client, page, (item) => items.push(item) > 0);
    await pages.iterate();
    expect(items).toMatchObject([
      { id: library.root, root: {} },
      { id: file, name: "a.txt", file: { hashes: {} }, parentReference: { id: library.root } },
      { id: folder, folder: {} },
      { id: inside },
    ]);
    library.change(inside, { content: "changed" });
    library.delete(file);
    const changed: PageCollection = await client.api(pages.getDeltaLink() ?? "").get();
    expect(changed.value).toMatchObject([
      { id: folder },
      { id: library.root },
      { id: inside, size: 7 },
      { id: file, deleted: { state: "deleted" } },
    ]);
    const selected = "id,@microsoft.graph.downloadUrl";
    const item = await client.api(`/drives/${library.id}/items/${inside}`).select(selected).get();
    const bytes = await fetch(item["@microsoft.graph.downloadUrl"]);
    expect(await bytes.text()).toBe("changed");
    const subscription = await client.api("/subscriptions").post({
      changeType: "updated",
      notificationUrl: "https://quarry.example.com/api/webhooks/graph",
      resource: root,
      expirationDateTime: new Date(Date.now() + 60_000).toISOString(),
      clientState: "secret",
    });
    library.file(folder, "c.txt", "c");
    expect(JSON.parse(graph.network.waiting[0]?.body ?? "")).toMatchObject({
      value: [{ subscriptionId: subscription.id, clientState: "secret" }],
    });
    const later = { expirationDateTime: new Date(Date.now() + 120_000).toISOString() };
    expect(await client.api(`/subscriptions/${subscription.id}`).patch(later)).toMatchObject(later);
    expect(await client.api("/subscriptions").get()).toMatchObject({
      value: [{ id: subscription.id }],
    });
    await client.api(`/subscriptions/${subscription.id}`).delete();
    library.expireLinks();
    const expired = client.api(pages.getDeltaLink() ?? "").get();
    await expect(expired).rejects.toMatchObject({
      statusCode: 410,
      code: "resyncChangesApplyDifferences",
    });
    graph.fail({ path: /drives/, status: 429, code: "TooManyRequests" });
    const throttled = await client
      .api(root)
      .get()
      .catch((thrown: unknown) => thrown);
    expect(throttled).toBeInstanceOf(GraphError);
    expect(throttled).toMatchObject({ statusCode: 429, code: "TooManyRequests" });
  } finally {
    await server.stop();
  }
});

test("Microsoft's own client reads the permissions of the double", async () => {
  const graph = new GraphDouble();
  const { library } = graph.site("hr");
  const folder = library.folder(library.root, "Folder");
  const file = library.file(folder, "a.txt", "plain");
  library.change(folder, { grants: [user("ann@contoso.example"), link("organization")] });
  const { client, server } = await served(graph);
  try {
    const items = `/drives/${library.id}/items`;
    const { value } = await client.api(`${items}/${file}/permissions`).get();
    expect(value).toMatchObject([
      { roles: ["read"], grantedToV2: { user: { email: "ann@contoso.example" } } },
      { link: { scope: "organization" } },
    ]);
    const delta = client.api(`/drives/${library.id}/root/delta`).select("id,shared");
    const facets = async (prefer: string) => {
      const { value: entries } = await delta.header("prefer", prefer).get();
      return entries.map((item: { shared?: unknown }) => item.shared);
    };
    const scope = "users";
    expect(await facets("deltashowsharingchanges")).toEqual([{}, { scope }, { scope }]);
    expect(await facets("hierarchicalsharing")).toEqual([{}, undefined, { scope: "users" }]);
    const { value: tenants } = await client.api("/organization").select("verifiedDomains").get();
    expect(tenants).toEqual([{ verifiedDomains: [{ name: "contoso.example" }] }]);
    graph.hasFullControl = false;
    const refusal = client.api(`${items}/${file}/permissions`).get();
    await expect(refusal).rejects.toMatchObject({ statusCode: 403 });
  } finally {
    await server.stop();
  }
});

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
  const accounts: { LoginName: string }[] = await users();
  expect(accounts.map(({ LoginName }) => LoginName)).toEqual(members);
  expect(graph.entra.granted).toBe(1);
  await expect(sharePoint.web.siteGroups.getById(6).users()).rejects.toMatchObject({ status: 404 });
  graph.mayReadSiteGroups = false;
  await expect(users()).rejects.toMatchObject({ status: 403 });
  graph.entra.certificate = certificate();
  const foreignToken = tokensOf(graph, own).acquireTokenByClientCredential({
    scopes: [`${graph.contentBase}/.default`],
  });
  await expect(foreignToken).rejects.toThrow("AADSTS700027");
});
