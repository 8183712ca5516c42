import { z } from "zod";

import { EVERYONE, groupPrincipal, principalOf, userPrincipal } from "../../core/principals.ts";
import { timeIn } from "../../core/time.ts";
import type { ReadPermissions } from "../stored-readers.ts";

/** https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions */
export const drivePermission = z
  .object({
    type: z.string(),
    emailAddress: z.string().optional(),
    domain: z.string().optional(),
    /** The account was deleted. */
    deleted: z.boolean().optional(),
    expirationTime: z.string().optional(),
    /** `metadata` shows the name of a folder with limited access, not what it holds. */
    view: z.string().optional(),
    permissionDetails: z
      .array(z.object({ inherited: z.boolean().optional(), inheritedFrom: z.string().optional() }))
      .optional(),
  })
  // One that cannot be read lets nobody in.
  .catch({ type: "" });
export type DrivePermission = z.infer<typeof drivePermission>;

export const PERMISSION_FIELDS =
  "type,emailAddress,domain,deleted,expirationTime,view,permissionDetails(inherited,inheritedFrom)";

/** Any role reads. `originOf` names the folder or drive it comes from; null: the item itself. */
export function readPermissions(
  permissions: DrivePermission[],
  now: number,
  originOf: (inheritedFrom: string | null) => string,
): ReadPermissions {
  const current = permissions.flatMap((each) => {
    const principal = principalIn(each);
    const until = each.expirationTime === undefined ? Infinity : timeIn(each.expirationTime);
    const isHidden = each.deleted === true || each.view !== undefined;
    if (principal === null || isHidden || until === null || until <= now) return [];
    return [{ principal, until, from: originOf(inheritanceOf(each)) }];
  });
  const principals = current.map(({ principal, from }) => ({ principal, from }));
  const first = Math.min(...current.map(({ until }) => until));
  return { readers: { principals }, expiresAt: first === Infinity ? null : first };
}

function principalIn({ type, emailAddress = "", domain = "" }: DrivePermission): string | null {
  if (type === "anyone") return EVERYONE;
  if (type === "domain") return principalOf(`domain:${domain}`);
  if (type === "group") return groupPrincipal(emailAddress);
  return type === "user" ? userPrincipal(emailAddress) : null;
}

/** Null for what is set on the item itself, even if it is inherited as well. */
function inheritanceOf({ permissionDetails = [] }: DrivePermission): string | null {
  const isInherited =
    permissionDetails.length > 0 && permissionDetails.every(({ inherited }) => inherited === true);
  return isInherited ? (permissionDetails[0]?.inheritedFrom ?? "") : null;
}
