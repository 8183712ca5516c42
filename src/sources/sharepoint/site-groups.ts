import { z } from "zod";

import type { Principal } from "../../core/principals.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import { accessTokens } from "../access-tokens.ts";
import { ApiClient, type ApiError, type Connection } from "../api-client.ts";

import { entraMembers, REFUSED } from "./entra-groups.ts";
import { entraTokens, isCertificate, type EntraApp } from "./entra-token.ts";
import { graphFailure } from "./graph-client.ts";
import { principalsOfClaim, SITE_GROUP } from "./graph-permission.ts";
import { readDomains } from "./item-readers.ts";

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

const denied = (why: string) => new SourceFailure("denied", `SharePoint: ${why}`);

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
    throw denied("only an app with a certificate may read members of a site's own groups");
  const [drive, id] = group.slice(SITE_GROUP.length).split("/");
  const driveId = driveIds.find((one) => one.toLowerCase() === drive);
  if (driveId === undefined) throw denied("its library is not read any more");
  const path = `drives/${encodeURIComponent(driveId)}/root`;
  const { sharepointIds } = await graph.get(root, path, { $select: "sharepointIds" });
  const site = siteClient(sharepointIds.siteUrl.replace(/\/$/, ""), connection, signal);
  const first = site.address(`sitegroups(${Number(id)})/users`);
  const users = await site.all(userPage, (next) => next ?? first, REFUSED);
  if (users === null) throw denied(RIGHT);
  const domains = await readDomains(graph);
  const members = users.flatMap(({ LoginName: loginName, Email: email }) =>
    principalsOfClaim({ loginName, email }, domains),
  );
  return await withMembers(graph, members);
}

/** With the members of groups among these, where they may be read. */
async function withMembers(graph: ApiClient, principals: Principal[]) {
  const all = new Set(principals);
  for (const principal of principals) {
    if (!principal.startsWith("group:")) continue;
    const inner = await entraMembers(graph, principal.slice("group:".length)).catch(refusal);
    for (const one of inner) all.add(one);
  }
  return [...all];
}

function refusal(thrown: unknown): Principal[] {
  if (thrown instanceof SourceFailure && thrown.kind === "denied") return [];
  throw thrown;
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
    explain: (error: ApiError) => graphFailure(error, RIGHT),
  };
  const ofSite = entraTokens({ ...app, apiBaseUrl: new URL(siteUrl).origin }, now);
  const tokens = accessTokens(ofSite, outgoing, now);
  return new ApiClient(provider, { outgoing, now, tokens }, signal);
}
