import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { SourceFailure } from "../../../src/ports/source-reader.ts";
import type {
  ListedFile,
  ListingPage,
  SourceFailureKind,
  SourceReader,
} from "../../../src/ports/source-reader.ts";

/** A provider in a test: what it holds, how it fails, and readers of it. */
export type ReaderWorld = {
  /** Files that the provider holds from now on, by path as the reader lists it; all others go. */
  hold(files: Map<string, string>): Promise<void>;
  /** A reader that knows nothing of those made before; its pages are shorter than `files`. */
  newReader(): SourceReader;
  /** Until the next `hold` the provider refuses every request in this way; see `refuses`. */
  fail?(kind: "denied" | "throttled"): void;
  /** Secrets that no message may hold. */
  secrets?: string[];
  stop?(): Promise<void>;
};

export type ReaderContract = {
  begin: () => Promise<ReaderWorld>;
  /** The provider can be made to refuse: its world has `fail`. */
  refuses: boolean;
  /** The reader follows a change feed. */
  follows: boolean;
  /** More than a page. */
  files: number;
  /** The path of a file by its number. */
  pathOf?: (number: number) => string;
  /** Makes a file's document where it is more than its text. */
  documentOf?: (path: string, text: string) => string;
};

const signal = new AbortController().signal;
const textOf = (number: number) => `The text of file ${number}.`;

/** The promises of `SourceReader`, for every reader and every double of one. */
export function sourceReaderContract(name: string, contract: ReaderContract): void {
  const { files: count, pathOf = (number) => `folder/file-${number}.txt` } = contract;
  const { documentOf = (_path, text) => text } = contract;
  const content = () =>
    new Map(Array.from({ length: count }, (_, number) => [pathOf(number), textOf(number)]));
  let world: ReaderWorld;

  describe(`${name} keeps the promises of a source reader`, () => {
    beforeAll(async () => {
      world = await contract.begin();
    });
    beforeEach(async () => {
      await world.hold(content());
    });
    afterAll(async () => {
      await world.stop?.();
    });

    test("a listing shows every file once, over several pages", async () => {
      const pages = await pagesOf(() => world.newReader());
      expect(pages.length).toBeGreaterThan(1);
      expect(pages.flatMap(({ deleted }) => deleted)).toEqual([]);
      const files = pages.flatMap((page) => page.files);
      expect(sorted(files.map(({ path }) => path))).toEqual(sorted([...content().keys()]));
      for (const file of files) {
        expect(file.version).not.toBe("");
        expect(file.failure).toBeUndefined();
        expect(file.path.endsWith(file.name)).toBe(true);
        expect(file.size).toBe(documentOf(file.path, content().get(file.path) ?? "").length);
      }
    });

    test("a cursor that comes twice gives the same page, to another reader too", async () => {
      const { next } = await world.newReader().list(null, signal);
      expect(next).not.toBeNull();
      const once = await world.newReader().list(next, signal);
      const repeat = await world.newReader().list(next, signal);
      expect(repeat.files.map(({ path }) => path)).toEqual(once.files.map(({ path }) => path));
    });

    test("equal versions mean equal bytes", async () => {
      const before = await versionsOf(world);
      const changed = pathOf(1);
      await world.hold(content().set(changed, "Another text."));
      const after = await versionsOf(world);
      expect(after.get(changed)).not.toBe(before.get(changed));
      expect([...after].filter(([path]) => path !== changed)).toEqual(
        [...before].filter(([path]) => path !== changed),
      );
    });

    test("a listed file is opened with the bytes of its version", async () => {
      const file = await fileAt(world, pathOf(2));
      const download = await world.newReader().open(file, signal);
      const document = documentOf(file.path, textOf(2));
      expect(await new Response(download.body).text()).toBe(document);
      expect([null, document.length]).toContain(download.size);
    });

    test("a file that is not there any more is a passing failure until a listing lacks it", async () => {
      const file = await fileAt(world, pathOf(2));
      const rest = content();
      rest.delete(file.path);
      await world.hold(rest);
      await expect(world.newReader().open(file, signal)).rejects.toMatchObject({ kind: "down" });
      const allFiles = (await pagesOf(() => world.newReader())).flatMap((page) => page.files);
      // An address that an administrator named stays in the list, as one that cannot be read.
      const readable = allFiles.filter(({ failure }) => failure === undefined);
      expect(sorted(readable.map(({ path }) => path))).toEqual(sorted([...rest.keys()]));
    });

    test("an abort goes through", async () => {
      const aborted = AbortSignal.abort(new Error("enough"));
      await expect(world.newReader().list(null, aborted)).rejects.toThrow("enough");
    });

    optional(contract.refuses)(
      "a provider that refuses access is reported as denied, without a secret",
      async () => {
        world.fail?.("denied");
        await expectFailure(world, "denied");
      },
    );

    optional(contract.refuses)(
      "a provider that asks to wait is reported as throttled, without a secret",
      async () => {
        world.fail?.("throttled");
        await expectFailure(world, "throttled");
      },
    );

    optional(contract.follows)(
      "a change feed names what changed and what was deleted since",
      async () => {
        const reader = world.newReader();
        const pages = await pagesOf(() => world.newReader());
        await reader.finishListing?.();
        const changeCursor = pages.at(-1)?.changeCursor ?? "";
        const deleted = await fileAt(world, pathOf(2));
        const rest = content().set(pathOf(1), "Another text.");
        rest.delete(pathOf(2));
        await world.hold(rest);
        const page = await reader.follow?.(changeCursor, null, signal);
        expect(page?.files.map(({ path }) => path)).toEqual([pathOf(1)]);
        expect(page?.deleted).toEqual([deleted.externalId ?? deleted.path]);
      },
    );
  });
}

/** A promise that not every reader makes is no test of those that do not. */
function optional(isMade: boolean) {
  return (title: string, run: () => Promise<void>): void => {
    // oxlint-disable-next-line vitest/no-conditional-tests, vitest/valid-title -- see above
    if (isMade) test(title, run);
  };
}
const sorted = (texts: string[]) => texts.toSorted();

/** Every page of a whole listing, each asked of a reader of its own. */
async function pagesOf(newReader: () => SourceReader): Promise<ListingPage[]> {
  const pages: ListingPage[] = [];
  let cursor: string | null = null;
  do {
    const page: ListingPage = await newReader().list(cursor, signal);
    pages.push(page);
    cursor = page.next;
  } while (cursor !== null);
  return pages;
}

async function versionsOf(world: ReaderWorld): Promise<Map<string, string>> {
  const files = (await pagesOf(() => world.newReader())).flatMap((page) => page.files);
  return new Map(
    sorted(files.map(({ path }) => path)).map((path) => [
      path,
      files.find((file) => file.path === path)?.version ?? "",
    ]),
  );
}

async function fileAt(world: ReaderWorld, path: string): Promise<ListedFile> {
  const files = (await pagesOf(() => world.newReader())).flatMap((page) => page.files);
  const file = files.find((candidate) => candidate.path === path);
  if (file === undefined) throw new Error(`${path} is not listed`);
  return file;
}

/** The whole listing fails, or each file that it could not read says why. */
async function expectFailure(world: ReaderWorld, kind: SourceFailureKind): Promise<void> {
  const outcome = await pagesOf(() => world.newReader()).catch((thrown: unknown) => thrown);
  const failures = Array.isArray(outcome)
    ? (outcome as ListingPage[]).flatMap((page) => page.files.map(({ failure }) => failure))
    : [outcome];
  expect(failures.length).toBeGreaterThan(0);
  if (!Array.isArray(outcome)) expect(outcome).toBeInstanceOf(SourceFailure);
  if (outcome instanceof SourceFailure && kind === "throttled") {
    expect(outcome.retryAfterMs).toBe(RETRY_AFTER_SECONDS * 1_000);
  }
  for (const failure of failures) {
    expect(failure).toMatchObject({ kind });
    for (const secret of world.secrets ?? []) {
      expect((failure as { message: string }).message).not.toContain(secret);
    }
  }
}

/** Seconds that a throttled provider asks for. */
export const RETRY_AFTER_SECONDS = 7;
