/*
 * https://learn.microsoft.com/graph/api/resources/permission
 */
export type Grant = Record<string, unknown> & { expirationDateTime?: string };

export const user = (address: string, more: Partial<Grant> = {}): Grant => ({
  id: `u-${address}`,
  roles: ["read"],
  grantedToV2: {
    user: { id: `id-${address}`, email: address, displayName: address },
    siteUser: { id: "9", email: address, loginName: `i:0#.f|membership|${address}` },
  },
  ...more,
});

export const entraGroup = (id: string, more: Partial<Grant> = {}): Grant => ({
  id: `g-${id}`,
  roles: ["write"],
  grantedToV2: {
    group: { id, displayName: id },
    siteUser: { id: "11", loginName: `c:0t.c|tenant|${id}` },
  },
  ...more,
});

export const link = (scope: string, more: Partial<Grant> = {}): Grant => ({
  id: `l-${scope}`,
  roles: ["read"],
  link: { scope, type: "view", webUrl: "https://contoso.sharepoint.example/:w:/s/x" },
  ...more,
});

export const siteGroup = (id: string, displayName: string): Grant => ({
  id: `s-${id}`,
  roles: ["owner"],
  grantedToV2: { siteGroup: { id, displayName, loginName: displayName } },
});
