import { mapParallel } from "../../core/work/parallel.ts";
import type { KnownFiles, ListedFile, UnreadItem } from "../../ports/source-reader.ts";
import type { ApiClient } from "../api-client.ts";
import { segmentOf } from "../folder-tree.ts";
import { listedItem } from "../listed-items.ts";
import { ABSENT, V2, type Space } from "./confluence-client.ts";
import { fileState, labelsIn, wireContent, type Content, type Contents } from "./site-contents.ts";

const KNOWN_AT_ONCE = 1_000;
const ASKED_PER_STEP = 200;
const AT_ONCE = 4;

/**
 * Only a search lists a space's attachments, and it may lag behind: known ones that it does not
 * show, of pages that are there, are requested. `next`: the known path after which to go on.
 */
export async function readForgotten(
  client: ApiClient,
  knownFiles: Pick<KnownFiles, "all">,
  { contents, space, next: after }: { contents: Contents; space: Space; next: string | null },
) {
  const folder = `${segmentOf(space.key)}/`;
  const forgotten: ListedFile[] = [];
  let next: string | null = after ?? folder;
  while (next !== null && forgotten.length < ASKED_PER_STEP) {
    const files = await knownFiles.all(next, KNOWN_AT_ONCE);
    const inSpace = files.filter(({ path }) => path.startsWith(folder));
    forgotten.push(...inSpace.filter((file) => isForgotten(file, contents)));
    next = inSpace.length < KNOWN_AT_ONCE ? null : (inSpace.at(-1)?.path ?? null);
  }
  const batch = forgotten.slice(0, ASKED_PER_STEP);
  if (batch.length < forgotten.length) next = batch.at(-1)?.path ?? null;
  const attachments: Content[] = [];
  const unread: UnreadItem[] = [];
  await mapParallel(batch, AT_ONCE, async ({ externalId, metadata }) => {
    const address = client.address(`${V2}/attachments/${externalId}`);
    const answer = await client.find(listedItem(wireContent), address, { absent: ABSENT });
    const labels = labelsIn(metadata);
    const [attachment] = answer?.items ?? [];
    for (const each of answer?.unread ?? []) unread.push({ ...each, id: externalId });
    if (attachment?.status === "current")
      attachments.push({ ...attachment, kind: "attachments", labels });
  });
  return { contents: attachments, unread, entries: 1 + batch.length, next };
}

function isForgotten({ externalId, sourceState }: ListedFile, contents: Contents): boolean {
  const { kind, parent } = fileState.safeParse(sourceState).data ?? {};
  const isListed = contents[externalId ?? ""] !== undefined;
  return kind === "attachments" && !isListed && contents[parent ?? ""] !== undefined;
}
