import { errorAnswer, json, type Item } from "./answers.ts";
import type { Grant } from "./grant.ts";
import { parseFields, selected } from "./partial-response.ts";

const MAX_PAGE = 100;
/** Roles that folders with limited access let in. */
const ABOVE_LIMITS = new Set(["owner", "organizer"]);

/** Who may see what, as the account is told it. */
export class PermissionsDouble {
  readonly #items: Map<string, Item>;
  /** Whether the account may share items, without which it is not told who may read them. */
  isTold = true;

  constructor(items: Map<string, Item>) {
    this.#items = items;
  }

  /** Effective permissions of an item: its own, and those of the folders above. */
  permissionsOf(item: Item) {
    const grantAnswers = new Map<string, ReturnType<typeof shownGrant>>();
    for (const { grant, from } of this.grantsAt(item)) {
      const inherited = from !== item.id;
      const detail = { inherited, ...(inherited ? { inheritedFrom: from } : {}) };
      const { type, to, expirationTime, view } = grant;
      const key = [type, to, expirationTime, view].join(" ");
      const existing = grantAnswers.get(key);
      if (existing === undefined) grantAnswers.set(key, shownGrant(grant, detail));
      else existing.permissionDetails.push(detail);
    }
    return [...grantAnswers.values()];
  }

  /** Grants from above a folder with limited access let in only those who manage it. */
  grantsAt(item: Item): { grant: Grant; from: string }[] {
    const above = this.#items.get(item.parents[0] ?? "");
    const inherited = above === undefined ? [] : this.grantsAt(above);
    const inheritable = item.limited
      ? inherited.filter(({ grant }) => ABOVE_LIMITS.has(grant.role ?? ""))
      : inherited;
    return [...item.grants.map((grant) => ({ grant, from: item.id })), ...inheritable];
  }

  /** Fields of an item: of a shared drive's whether it has permissions of its own, else all. */
  fieldsOf(item: Item, driveId: string | null) {
    if (driveId !== null) {
      return {
        hasAugmentedPermissions: item.grants.length > 0,
        inheritedPermissionsDisabled: item.limited,
      };
    }
    return this.isTold ? { permissions: this.permissionsOf(item) } : {};
  }

  /** `GET files/{id}/permissions` */
  list(item: Item, query: URLSearchParams): Response {
    if (!this.isTold) return errorAnswer(403, "insufficientFilePermissions");
    const all = this.permissionsOf(item);
    const size = Math.min(MAX_PAGE, Number(query.get("pageSize") ?? MAX_PAGE));
    const from = Number(query.get("pageToken") ?? 0);
    const next = from + size < all.length ? { nextPageToken: String(from + size) } : {};
    const body = {
      kind: "drive#permissionList",
      ...next,
      permissions: all.slice(from, from + size),
    };
    const fields = query.get("fields") ?? "kind,nextPageToken,permissions(kind,id,type,role)";
    return json(selected(body, parseFields(fields)));
  }
}

type Detail = { inherited: boolean; inheritedFrom?: string };

function shownGrant({ type, to = "", role = "reader", ...rest }: Grant, detail: Detail) {
  const name = type === "domain" ? { domain: to } : { emailAddress: to };
  const permission = { kind: "drive#permission", id: `${type}-${to}`, type, role, ...rest };
  return { ...permission, ...(type === "anyone" ? {} : name), permissionDetails: [detail] };
}

/** Lists who may read an item now, in the plainest way. */
export function mayRead(double: PermissionsDouble, item: Item, now: number): string[] {
  const current = double.grantsAt(item).flatMap(({ grant }) => {
    const end = grant.expirationTime === undefined ? Infinity : Date.parse(grant.expirationTime);
    return grant.deleted !== true && grant.view === undefined && end > now ? [grant] : [];
  });
  const principals = current.map(({ type, to }) =>
    type === "anyone" ? "everyone" : `${type}:${to}`,
  );
  return [...new Set(principals)].sort();
}
