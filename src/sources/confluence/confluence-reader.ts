import { z } from "zod";

import { DAY_MS, isoTime } from "../../core/time.ts";
import { missingFile, type ListedFile, type ListingPage } from "../../ports/source-reader.ts";
import type { OpenedFile, SourceReader, UnreadItem } from "../../ports/source-reader.ts";
import type { Api, ApiClient } from "../api-client.ts";
import { openText } from "../guarded-fetch.ts";
import { withFileIds } from "../listed-items.ts";
import { scanState, type ScanState } from "../scan-state.ts";
import type { DriveOptions } from "../source-manifest.ts";
import { confluenceApi, readSpaces, requireAccount } from "./confluence-client.ts";
import { readPeople, V1, V2 } from "./confluence-client.ts";
import { KINDS, type ConfluenceConfig } from "./confluence-config.ts";
import { groupMembers, PageReaders, type Grants } from "./page-readers.ts";
import { mentionsIn, pageText } from "./page-text.ts";
import { fileState, listingState, position, searchContents, STEPS } from "./site-contents.ts";
import type { ListingState, Position } from "./site-contents.ts";
import { NOTHING, SpaceListing, type Step } from "./space-listing.ts";

const SPACES_SHOWN = 10;

const storage = z.object({ storage: z.object({ value: z.string() }) });
const bodied = z.object({ title: z.string(), body: storage });

/**
 * Confluence Cloud by the API token of an account. A search finds new versions of files; anything
 * else, such as a new or a moved page, is found by listing everything, which downloads nothing.
 */
export class ConfluenceReader implements SourceReader {
  readonly #config: ConfluenceConfig;
  readonly #kinds: readonly string[];
  readonly #options: DriveOptions;
  readonly #api: Api;
  readonly #state: ScanState<ListingState>;

  constructor(config: ConfluenceConfig, apiToken: string, options: DriveOptions) {
    this.#config = config;
    this.#kinds = config.include?.length ? config.include : KINDS;
    this.#options = options;
    this.#api = confluenceApi(config, apiToken, options);
    this.#state = scanState(options.store, "listing", listingState);
  }

  async check(signal: AbortSignal): Promise<string> {
    const { spaces } = await readSpaces(this.#api(signal), this.#config);
    const keys = spaces.slice(0, SPACES_SHOWN).map(({ key }) => key);
    const more = spaces.length > SPACES_SHOWN ? ` and ${spaces.length - SPACES_SHOWN} more` : "";
    return `Confluence: the account sees the spaces ${keys.join(", ")}${more}`;
  }

  async list(cursor: string | null, signal: AbortSignal): Promise<ListingPage> {
    const client = this.#api(signal);
    const start = await (cursor === null ? this.#begin(client) : this.#resume(cursor));
    const step = start === null ? null : await this.#read(client, start);
    // State that was kept between pages may be lost, or of another listing or version.
    if (start === null || step === null)
      return { ...(await this.list(null, signal)), restarted: true };
    const { state, at, unread: unreadSpaces = [] } = start;
    if (cursor === null || this.#isShared) await this.#state.keep(state);
    const following = nextStep(at, step, state.spaces.length);
    const { files = [], unread = [], entries } = step;
    const page = { files, deleted: [], unread: [...unreadSpaces, ...unread], entries: entries + 1 };
    if (following !== null) return { ...page, next: JSON.stringify(following) };
    // A token that was revoked meanwhile is shown less, which is not to be removed.
    await requireAccount(client);
    // Search knows no changes of restrictions: with readers, each scan lists everything.
    return { ...page, next: null, ...(!this.#isShared && { changeCursor: String(state.began) }) };
  }

  async #begin(client: ApiClient): Promise<Start> {
    const began = this.#options.now();
    const { spaces, unread } = await readSpaces(client, this.#config);
    const run = crypto.randomUUID();
    const state = { run, began, spaces, grants: {} };
    // Pages of other spaces may have moved into them.
    const unreadSpaces = withFileIds(unread, () => null);
    return { state, at: { run, space: 0, step: 0, parts: 0 }, unread: unreadSpaces };
  }

  async #resume(cursor: string): Promise<Start | null> {
    const state = await this.#state.pending();
    const { data: at } = position.safeParse(JSON.parse(cursor));
    return state === null || at === undefined || state.run !== at.run ? null : { state, at };
  }

  async #read(client: ApiClient, { state: { spaces, grants }, at }: Start) {
    const space = spaces[at.space];
    if (space === undefined) return NOTHING;
    const createReaders = (restrictions: Grants) =>
      this.#isShared ? new PageReaders(client, this.#site, grants, restrictions) : null;
    const { store, known: knownFiles } = this.#options;
    const tools = { client, store, known: knownFiles, kinds: this.#kinds, site: this.#site };
    return await new SpaceListing({ ...tools, readersFrom: createReaders }, space, at).read();
  }

  /** https://developer.atlassian.com/cloud/confluence/advanced-searching-using-cql/ */
  async follow(changeCursor: string, cursor: string | null, signal: AbortSignal) {
    if (this.#isShared) return null;
    const changedTo = String(this.#options.now());
    const client = this.#api(signal);
    if (cursor === null) await requireAccount(client);
    // A query has minutes in the account's time zone, and the search may lag behind.
    const since = isoTime(Number(changeCursor) - DAY_MS)
      .slice(0, 16)
      .replace("T", " ");
    const keys = this.#config.spaces?.map((key) => `"${key}"`).join(", ") ?? "";
    const cql = `lastmodified >= "${since}"${keys && ` and space in (${keys})`}`;
    const expand = "version,container,ancestors";
    const query = { cql, expand, cursor: cursor ?? undefined };
    const { items, unread, next } = await searchContents(client, this.#kinds, query);
    const files = await this.#options.known.byExternalId(items.map(({ id }) => id));
    const byId = new Map(files.map((file) => [file.externalId, file]));
    const isUnmoved = ({ id, title, parent }: (typeof items)[number]) => {
      const state = fileState.safeParse(byId.get(id)?.sourceState).data;
      return state?.title === title && state.parent === parent;
    };
    if (!items.every(isUnmoved)) return null;
    const changed = items.flatMap(({ id, version, modifiedAt }) => {
      const file = byId.get(id);
      return file && file.version !== version ? { ...file, version, modifiedAt } : [];
    });
    const end = next === null ? { changeCursor: changedTo } : {};
    return { files: changed, deleted: [], unread, entries: items.length, next, ...end };
  }

  async open(file: ListedFile, signal: AbortSignal): Promise<OpenedFile> {
    const client = this.#api(signal);
    const id = file.externalId ?? "";
    const { kind, parent } = fileState.parse(file.sourceState);
    if (kind === "attachments") {
      const path = `${V1}/content/${parent ?? ""}/child/attachment/${id}/download`;
      return await client.open(file, client.address(path), { isElsewhere: true });
    }
    const address = client.address(`${V2}/${kind}/${id}`, { "body-format": "storage" });
    const page = await client.find(bodied, address);
    if (page === null) throw missingFile("Confluence: 404");
    const { title, body } = page;
    const people = await readPeople(client, mentionsIn(body.storage.value));
    const names = new Map(people.map((each) => [each.accountId, each.displayName]));
    const place = { id, spaceKey: String(file.metadata["space"]), site: this.#site };
    return openText(await pageText({ ...place, title, storage: body.storage.value, names }));
  }

  async membersOf(group: string, signal: AbortSignal): Promise<string[]> {
    return await groupMembers(this.#api(signal), group);
  }

  async finishListing(): Promise<void> {
    await this.#options.store.remove("");
  }

  get #isShared(): boolean {
    return this.#options.readsPermissions === true;
  }

  /** Where pages are shown: people paste the address of a page as well. */
  get #site(): string {
    return `${new URL(this.#config.siteUrl).origin}/wiki`;
  }
}

type Start = { state: ListingState; at: Position; unread?: UnreadItem[] };

function nextStep({ parts, ...at }: Position, step: Step, spaces: number): Position | null {
  const { run, space } = at;
  const further = { run, space, parts: parts + (step.contents?.length ? 1 : 0) };
  if (step.next !== null) return { ...further, step: at.step, next: step.next };
  if (at.step + 1 < STEPS.length) return { ...further, step: at.step + 1 };
  return space + 1 < spaces ? { run, space: space + 1, step: 0, parts: 0 } : null;
}
