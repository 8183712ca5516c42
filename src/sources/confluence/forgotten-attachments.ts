import { inParallel } from "../../core/work/parallel.ts";
import type { KnownFiles } from "../../ports/source-reader.ts";
import type { ApiClient } from "../api-client.ts";
import { segmentOf } from "../folder-tree.ts";
import { ABSENT, V2, type Space } from "./confluence-client.ts";
import { fileState, wireContent, type Contents } from "./site-contents.ts";

const KNOWN_PER_STEP = 200;
const AT_ONCE = 4;

/**
 * Only a search lists a space's attachments, and it may lag behind: known ones that it does not
 * show, of pages that are there, are asked for and added.
 * @returns the known path after which to go on; null: that was all
 */
export async function readForgotten(
  client: ApiClient,
  knownFiles: Pick<KnownFiles, "all">,
  { contents, space, next }: { contents: Contents; space: Space; next: string | null },
): Promise<string | null> {
  const folder = `${segmentOf(space.key)}/`;
  const files = await knownFiles.all(next ?? folder, KNOWN_PER_STEP);
  const inSpace = files.filter(({ path }) => path.startsWith(folder));
  const forgotten = inSpace.filter(({ externalId, sourceState }) => {
    const { kind, parent } = fileState.safeParse(sourceState).data ?? {};
    const isListed = contents[externalId ?? ""] !== undefined;
    return kind === "attachments" && !isListed && contents[parent ?? ""] !== undefined;
  });
  await inParallel(forgotten, AT_ONCE, async ({ externalId, metadata }) => {
    const address = client.address(`${V2}/attachments/${externalId}`);
    const attachment = await client.find(wireContent, address, { absent: ABSENT });
    const isThere =
      attachment?.status === "current" && contents[attachment.parent ?? ""] !== undefined;
    if (attachment === null || !isThere) return;
    const labels = [metadata["labels"]].flat().map(String);
    contents[attachment.id] = { ...attachment, kind: "attachments", labels };
  });
  const isAll = inSpace.length < KNOWN_PER_STEP;
  return isAll ? null : (inSpace.at(-1)?.path ?? null);
}
