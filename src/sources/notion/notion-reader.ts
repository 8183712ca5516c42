import { missingFile, type SourceReader } from "../../ports/source-reader.ts";
import { forgetOrphans, readPage } from "../page-store.ts";
import { readJson, writeJson } from "../scan-state.ts";
import type { NotionConfig } from "./manifest.ts";
import { notionTools, type NotionOptions } from "./notion-client.ts";
import { PageWalk, walkState, type WalkState } from "./page-walk.ts";

const WALKS = "walks/";

/**
 * Notion by the token of a connection. A listing's state lies in the store, its cursor names it. An
 * edited page is read when it is listed, as it names the pages in it, and kept for `open`.
 */
export function notionReader(config: NotionConfig, options: NotionOptions): SourceReader {
  const { store, known: knownFiles } = options;
  const newWalk = (state: WalkState, signal: AbortSignal) =>
    new PageWalk(state, notionTools(config, options, signal));
  return {
    async list(cursor, signal) {
      const isBegun = cursor !== null;
      const state = isBegun ? await readJson(store, cursor, walkState) : walkState.parse({});
      if (state === null) return { ...(await this.list(null, signal)), restarted: true };
      const walk = newWalk(state, signal);
      const isOver = await walk.advance();
      const { files, problems, unread } = walk;
      const page = { files, deleted: [], problems, unread, entries: 1 };
      if (isOver) return { ...page, next: null };
      // A call that is repeated finds the state as it was: each has a name of its own.
      const next = `${WALKS}${crypto.randomUUID()}`;
      await writeJson(store, next, { ...state, before: cursor });
      if (state.before !== null) await store.remove(state.before);
      return { ...page, next };
    },
    async finishListing() {
      await forgetOrphans(store, knownFiles);
      await store.remove(WALKS);
    },
    async open({ path, externalId, version }, signal) {
      const text = await readPage(store, path, version);
      const bytes = text ?? (await newWalk(walkState.parse({}), signal).textOf(externalId ?? ""));
      const { body } = new Response(bytes);
      if (bytes === null || body === null) throw missingFile("Notion: 404");
      return { body, size: bytes.length, mimeType: "text/markdown" };
    },
    async check(signal) {
      const state = walkState.parse({});
      await newWalk(state, signal).search();
      const titles = Object.values(state.nodes).flatMap(({ title }) => title ?? []);
      return `Notion: the connection sees ${titles.length} pages and databases, or more`;
    },
  };
}
