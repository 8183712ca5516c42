import { errorAnswer, json, type Item } from "./answers.ts";
import type { LogOwner } from "./change-logs.ts";

type SharedDrive = { id: string; name: string; isMember: boolean };

/**
 * The shared drives of an organization, and which requests see into them. A drive's top folder has
 * the drive's id; what lies in it has no owner.
 * https://developers.google.com/workspace/drive/api/guides/enable-shareddrives
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/drives
 */
export class SharedDrives {
  readonly #drives = new Map<string, SharedDrive>();
  readonly #items: Map<string, Item>;
  /** A folder that is shared with the account, which need not be a member of its drive. */
  sharedFolder: string | null = null;

  constructor(items: Map<string, Item>) {
    this.#items = items;
  }

  add(drive: SharedDrive): void {
    this.#drives.set(drive.id, drive);
  }

  /** Makes the account a member of the drive, or no longer. */
  setMember(id: string, isMember: boolean): void {
    const drive = this.#drives.get(id);
    if (drive !== undefined) drive.isMember = isMember;
  }

  /** `GET drives/{id}` */
  get(id: string): Response {
    const drive = this.#drives.get(id);
    if (drive?.isMember !== true) return errorAnswer(404, "notFound");
    return json({ kind: "drive#drive", id, name: drive.name });
  }

  /** The shared drive that an item lies in; null: somebody's own. */
  ownerOf(item: Item | undefined): LogOwner {
    for (let at = item; at !== undefined; at = this.#items.get(at.parents[0] ?? "")) {
      if (this.#drives.has(at.id)) return at.id;
    }
    return null;
  }

  /** Whether the account may see an item, as far as its drive is concerned. */
  admits(item: Item): boolean {
    const owner = this.ownerOf(item);
    return owner === null || this.#drives.get(owner)?.isMember === true;
  }

  isTopFolder = ({ id }: Item): boolean => this.#drives.has(id);

  /** Whether a request for one item sees it: a program must say that it knows shared drives. */
  isToldOf(item: Item, query: URLSearchParams): boolean {
    return this.ownerOf(item) === null || query.get("supportsAllDrives") === "true";
  }

  /**
   * Which drive's items or changes are asked for; an answer where the parameters do not fit. The
   * account's own, without `driveId`, are none of a shared drive's.
   */
  targetOf(query: URLSearchParams): { owner: LogOwner } | Response {
    const driveId = query.get("driveId");
    if (driveId === null) return { owner: null };
    const isAware = query.get("supportsAllDrives") === "true";
    const isIncluded = query.get("includeItemsFromAllDrives") === "true";
    if (!isAware || !isIncluded) return errorAnswer(400, "invalid");
    const isMember = this.#drives.get(driveId)?.isMember === true;
    return isMember ? { owner: driveId } : errorAnswer(404, "notFound");
  }

  /** Returns a listing's target; its `corpora` is `drive` if and only if `driveId` is given. */
  askedOfList(query: URLSearchParams): { owner: LogOwner } | Response {
    const isOfDrive = query.get("corpora") === "drive";
    if (isOfDrive !== query.has("driveId")) return errorAnswer(400, "invalid");
    return this.targetOf(query);
  }
}
