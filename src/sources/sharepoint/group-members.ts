import { z } from "zod";

import { userPrincipal, type Principal } from "../../core/principals.ts";
import { nullIfDenied, SourceFailure } from "../../ports/source-reader.ts";
import { accessTokens } from "../access-tokens.ts";
import { ApiClient, type ApiError, type Connection } from "../api-client.ts";
import { entraTokens, isCertificate, type EntraApp } from "./entra-token.ts";
import { graphRemedy, isThrottle, pageOf } from "./graph-client.ts";
import { OWNERS, principalsOfClaim, SITE_GROUP } from "./graph-permission.ts";
import { readDomains } from "./item-readers.ts";

/** https://learn.microsoft.com/graph/api/group-list-transitivemembers */
const MEMBERS_PER_PAGE = 999;
const text = z.string().nullish();
const memberPage = pageOf(z.object({ "@odata.type": text, mail: text, userPrincipalName: text }));
const groupList = z.object({ value: z.array(z.object({ id: z.string() })) });
const USER = "#microsoft.graph.user";

const denied = (by: "Microsoft Entra" | "SharePoint", why: string) =>
  new SourceFailure("denied", `${by}: ${why}`);

/** The users of a group of Entra, those of groups in it included. @throws SourceFailure */
export async function entraMembers(client: ApiClient, group: string): Promise<Principal[]> {
  const isOwners = group.endsWith(OWNERS);
  const id = await groupId(client, isOwners ? group.slice(0, -OWNERS.length) : group);
  const path = `groups/${encodeURIComponent(id)}/${isOwners ? "owners" : "transitiveMembers"}`;
  const query = { $select: "id,mail,userPrincipalName", $top: MEMBERS_PER_PAGE };
  const first = client.address(path, query);
  const members = await client.all(memberPage, first, { absent: REFUSED });
  if (members === null)
    throw denied("Microsoft Entra", "grant the app GroupMember.Read.All to read its members");
  return members.flatMap(({ "@odata.type": type, mail, userPrincipalName }) => {
    if (type !== USER) return [];
    if (!userPrincipalName && !mail)
      throw denied("Microsoft Entra", "grant the app User.ReadBasic.All to read its members");
    const names = [mail, userPrincipalName].map((name) => userPrincipal(name ?? ""));
    return names.filter((principal) => principal !== null);
  });
}

const REFUSED = [401, 403, 404];

/** Groups are named by id, or by address. */
async function groupId(client: ApiClient, name: string): Promise<string> {
  if (!name.includes("@")) return name;
  const $filter = `mail eq '${name.replaceAll("'", "''")}'`;
  const address = client.address("groups", { $filter, $select: "id" });
  const id = (await client.find(groupList, address, { absent: REFUSED }))?.value[0]?.id;
  if (id === undefined) throw denied("Microsoft Entra", "the app sees no group of this address");
  return id;
}

/*
 * https://learn.microsoft.com/sharepoint/dev/solution-guidance/security-apponly-azuread
 * https://learn.microsoft.com/previous-versions/office/developer/sharepoint-rest-reference/dn531432(v=office.15)
 */
const ANSWER_LIMIT_BYTES = 4 * 1_024 * 1_024;
const RIGHT =
  "grant the app Sites.FullControl.All of SharePoint, or Sites.Selected with fullcontrol on the site, to read members of the site's groups";

const root = z.object({ sharepointIds: z.object({ siteUrl: z.url() }) });
const user = z.object({ LoginName: z.string(), Email: z.string().nullish() });
const userPage = z
  .object({ value: z.array(user), "odata.nextLink": z.string().nullable().default(null) })
  .transform(({ value: items, "odata.nextLink": next }) => ({ items, next }));

/** `driveIds`: as Graph spells them, for a principal keeps no capitals. */
type Site = {
  graph: ApiClient;
  connection: Omit<Connection, "tokens"> & { app: EntraApp };
  driveIds: string[];
};

/**
 * The members of a site's own group, which only the app's certificate may read: groups in it as
 * such, and their members where these may be read. @throws SourceFailure
 */
export async function siteGroupMembers(
  { graph, connection, driveIds }: Site,
  group: string,
  signal: AbortSignal,
): Promise<Principal[]> {
  if (!isCertificate(connection.app.clientSecret))
    throw denied(
      "SharePoint",
      "only an app with a certificate may read members of a site's own groups",
    );
  const [drive, id] = group.slice(SITE_GROUP.length).split("/");
  const driveId = driveIds.find((id) => id.toLowerCase() === drive);
  if (driveId === undefined) throw denied("SharePoint", "its library is not read any more");
  const path = `drives/${encodeURIComponent(driveId)}/root`;
  const { sharepointIds } = await graph.get(root, path, { $select: "sharepointIds" });
  const site = siteClient(sharepointIds.siteUrl.replace(/\/$/, ""), connection, signal);
  const first = site.address(`sitegroups(${Number(id)})/users`);
  const users = await site.all(userPage, first, { absent: REFUSED });
  if (users === null) throw denied("SharePoint", RIGHT);
  const domains = await readDomains(graph);
  const members = users.flatMap(({ LoginName: loginName, Email: email }) =>
    principalsOfClaim({ loginName, email }, domains),
  );
  return await addGroupMembers(graph, members);
}

/** Adds the members of groups among these, where they may be read. */
async function addGroupMembers(graph: ApiClient, principals: Principal[]) {
  const all = new Set(principals);
  for (const principal of principals) {
    if (!principal.startsWith("group:")) continue;
    const inner = await entraMembers(graph, principal.slice("group:".length)).catch(nullIfDenied);
    for (const member of inner ?? []) all.add(member);
  }
  return [...all];
}

function siteClient(
  siteUrl: string,
  { app, outgoing, now }: Site["connection"],
  signal: AbortSignal,
) {
  const provider = {
    name: "SharePoint",
    baseUrl: `${siteUrl}/_api/web`,
    answerLimitBytes: ANSWER_LIMIT_BYTES,
    headers: { accept: "application/json;odata=nometadata" },
    codeIn: () => "",
    isThrottle,
    remedyFor: (error: ApiError) => graphRemedy(error, RIGHT),
  };
  const ofSite = entraTokens({ ...app, apiBaseUrl: new URL(siteUrl).origin }, now);
  const tokens = accessTokens(ofSite, outgoing, now);
  return new ApiClient(provider, { outgoing, now, tokens }, signal);
}
