import type { FileId } from "./ids.ts";
import { normalForm } from "./normal-form.ts";

/** Who may read a file: `user:`, `group:` or `domain:` and a name, or `everyone`; normalised. */
export type Principal = string;

export const EVERYONE: Principal = "everyone";

/** Stands for the default readers of a source, in the audience of a file without its own. */
export const DEFAULT: Principal = "default";
/** Stands for the default readers of a public site: everyone while it has none. */
export const PUBLIC: Principal = "public";

/** In place of a token's reader: each call names it. */
export const NAMED = "named";

/** Characters, the kind included. */
const MAX_PRINCIPAL_LENGTH = 320;

/** U+FFFD stands for bytes of a header that were no UTF-8: nobody has such a name. */
const KINDS = /^(?:user|group|domain):[^\s\p{Cc}\uFFFD]+$/u;

/** The person that a call is made for, and the groups that are known of that person. */
export type Reader = { user: string; groups: string[] };

/** A file whose audience changed; an index that knows an older revision shows nothing of it. */
export type UntoldFile = { fileId: FileId; revision: number };

/** Why nobody reads in a call: it must name its reader, or its token must have one. */
type Unread = "unnamed" | "readerless";

/** Who reads in a call. */
export type ReadBy = { principals: Principal[]; untold: UntoldFile[] } | "everything" | Unread;

/** Lower-casing may take a text out of NFC. */
const foldPrincipal = (text: string) =>
  normalForm(normalForm(text, "NFC").toLowerCase(), "NFC").trim();

/** The normalised form; null for what is no principal. */
export function principalOf(text: string): Principal | null {
  const principal = foldPrincipal(text);
  const isOne = principal === EVERYONE || KINDS.test(principal);
  return isOne && principal.length <= MAX_PRINCIPAL_LENGTH ? principal : null;
}

const ADDRESS = /^[^\s@:\p{Cc}]+@[^\s@:\p{Cc}]+$/u;

/** Whether a text names a person, as readers are named; providers may name people otherwise. */
export const isAddress = (text: string): boolean =>
  ADDRESS.test(text.trim()) && userPrincipal(text) !== null;

/** Like `principalOf` for the texts of people: addresses and their domains are whole. */
export function parsePrincipal(text: string): Principal | null {
  const principal = principalOf(text);
  const address = principal?.replace(/^user:|^domain:/, (kind) => (kind === "user:" ? "" : "a@"));
  return address === principal || isAddress(address ?? "") ? principal : null;
}

export const userPrincipal = (address: string) => principalOf(`user:${address.trim()}`);
export const groupPrincipal = (name: string) => principalOf(`group:${name.trim()}`);

/** Stands in the name of a guest of a Microsoft tenant, whose domain is not the guest's own. */
const GUEST = "#ext#@";

/** The domain of an address; null for a name without one. */
export function domainPrincipal(address: string): Principal | null {
  const at = address.lastIndexOf("@");
  return at === -1 || address.toLowerCase().includes(GUEST)
    ? null
    : principalOf(`domain:${address.slice(at + 1).trim()}`);
}

/** Adds the principals by which the current default readers of a source let a reader in. */
export function addDefaults(own: Principal[], defaults: Principal[]): Principal[] {
  const isIn = defaults.some((principal) => own.includes(principal));
  const isPublic = isIn || defaults.length === 0;
  return [...own, ...(isIn ? [DEFAULT] : []), ...(isPublic ? [PUBLIC] : [])];
}

/** Everything that lets a reader in. */
export function principalsOf({ user, groups }: Reader): Principal[] {
  const all = [userPrincipal(user), domainPrincipal(user), EVERYONE, ...groups.map(groupPrincipal)];
  return [...new Set(all.filter((principal) => principal !== null))];
}
