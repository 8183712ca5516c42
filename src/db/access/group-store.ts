import type { FileSourceId } from "../../core/ids.ts";
import type { Principal } from "../../core/principals.ts";
import { principalGroups } from "../schema/index.ts";
import { columnsOf, pick, select } from "../select.ts";
import { readRows, type Reads } from "../sql.ts";

const MEMBERSHIP = select(pick(columnsOf(principalGroups), "fileSourceId", "inGroup"));

/** The groups of a member as each of these sources tells them. */
export async function groupsOf(
  db: Reads,
  sources: FileSourceId[],
  member: Principal,
): Promise<Map<FileSourceId, Principal[]>> {
  const rows = await readRows(db, MEMBERSHIP)`select ${MEMBERSHIP} from principal_groups
    where file_source_id in (select value from json_each(${sources})) and member = ${member}`;
  const bySource = Map.groupBy(rows, ({ fileSourceId }) => fileSourceId);
  return new Map(
    Array.from(bySource, ([id, groups]) => [id, groups.map(({ inGroup }) => inGroup)]),
  );
}
