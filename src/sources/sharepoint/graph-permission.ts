import { z } from "zod";

import { EVERYONE, groupPrincipal, principalOf, userPrincipal } from "../../core/principals.ts";
import { timeIn } from "../../core/time.ts";

/*
 * https://learn.microsoft.com/graph/api/resources/permission
 * https://learn.microsoft.com/graph/api/resources/sharepointidentityset
 */
const text = z.string().nullish();

const identities = z.object({
  user: z.object({ email: text }).nullish(),
  group: z.object({ id: text, email: text }).nullish(),
  siteUser: z.object({ email: text, loginName: text }).nullish(),
  siteGroup: z.object({ id: text, displayName: text }).nullish(),
});
type Identities = z.infer<typeof identities>;

export const graphPermission = z
  .object({
    roles: z.array(z.string()).nullish(),
    grantedToV2: identities.nullish(),
    grantedToIdentitiesV2: z.array(identities).nullish(),
    link: z.object({ scope: text }).nullish(),
    invitation: z.object({ email: text, signInRequired: z.boolean().nullish() }).nullish(),
    /** The year 1: never. */
    expirationDateTime: text,
    hasPassword: z.boolean().nullish(),
  })
  // One that cannot be read lets nobody in.
  .catch({});
export type GraphPermission = z.infer<typeof graphPermission>;

/** Roles that read; a site may define others, which let nobody in. */
const READING = new Set(["read", "write", "owner", "sp.full control", "sp.restricted view"]);
/** Claims for everybody of the tenant. https://learn.microsoft.com/sharepoint/dev/solution-guidance */
const ALL_USERS = ["c:0(.s|true", "c:0-.f|rolemanager|spo-grid-all-users/"];
const MEMBER_CLAIM = "i:0#.f|membership|";
/** Group claims; one that ends so means the owners of a Microsoft 365 group, not its members. */
const GROUP_CLAIM = /^c:0[to]\.c\|[a-z]+\|([\w-]+)$/i;
export const OWNERS = "_o";
export const SITE_GROUP = "sharepoint/";

export type GraphPermissionContext = {
  now: number;
  driveId: string;
  /** The tenant's; none where they may not be read. */
  domains: string[];
  /** Where the permissions are set. */
  from: string;
};

export function readPermissions(permissions: GraphPermission[], context: GraphPermissionContext) {
  const ends: number[] = [];
  const principals = permissions.flatMap((each) => {
    const end = endOf(each);
    const reads = each.roles?.some((role) => READING.has(role.toLowerCase())) === true;
    if (!reads || end <= context.now) return [];
    if (end !== Infinity) ends.push(end);
    return principalsIn(each, context);
  });
  const distinct = [...new Set(principals.filter((principal) => principal !== null))];
  return {
    readers: { principals: distinct.map((principal) => ({ principal, from: context.from })) },
    expiresAt: ends.length === 0 ? null : Math.min(...ends),
  };
}

function endOf({ expirationDateTime }: GraphPermission): number {
  if (!expirationDateTime || expirationDateTime.startsWith("0001-")) return Infinity;
  return timeIn(expirationDateTime) ?? -Infinity;
}

function principalsIn(permission: GraphPermission, context: GraphPermissionContext) {
  const { link, hasPassword } = permission;
  switch (link?.scope) {
    case "existingAccess":
      return [];
    case "anonymous":
      return hasPassword === true ? [] : [EVERYONE];
    case "organization":
      return domainsOf(context);
    default:
      return identitiesIn(permission).flatMap((each) => principalsOf(each, context));
  }
}

function identitiesIn({ grantedToV2, grantedToIdentitiesV2, invitation }: GraphPermission) {
  const invited = invitation?.signInRequired === true ? [{ user: invitation }] : [];
  return [...(grantedToIdentitiesV2 ?? []), ...(grantedToV2 ? [grantedToV2] : []), ...invited];
}

const domainsOf = ({ domains }: Pick<GraphPermissionContext, "domains">) =>
  domains.map((domain) => principalOf(`domain:${domain}`));

function principalsOf(
  identity: Identities,
  context: Pick<GraphPermissionContext, "domains" | "driveId">,
) {
  const { siteUser, siteGroup } = identity;
  const claim = siteUser?.loginName ?? "";
  if (ALL_USERS.some((start) => claim.startsWith(start))) return domainsOf(context);
  const groups = groupsOf(identity);
  if (groups.length > 0) return groups;
  // SharePoint's own group, whose members Graph does not list.
  if (siteGroup) return [groupPrincipal(`${SITE_GROUP}${context.driveId}/${siteGroup.id ?? ""}`)];
  const name = claim.startsWith(MEMBER_CLAIM) ? claim.slice(MEMBER_CLAIM.length) : "";
  const addresses = [identity.user?.email, siteUser?.email, name];
  return addresses.map((address) => userPrincipal(address ?? ""));
}

/** Who a member of a site's group is. */
export const principalsOfClaim = (siteUser: Identities["siteUser"], domains: string[]) =>
  principalsOf({ siteUser }, { domains, driveId: "" }).filter((principal) => principal !== null);

/** A group by its id, and by its address where it has one. */
function groupsOf({ group, siteUser }: Identities) {
  const [, groupId] = GROUP_CLAIM.exec(siteUser?.loginName ?? "") ?? [];
  const id = groupId ?? group?.id ?? "";
  if (id === "") return [];
  return [groupPrincipal(id), groupPrincipal(id.endsWith(OWNERS) ? "" : (group?.email ?? ""))];
}
