import { ITEM_COST, type CooperativeWork } from "../../../../core/work/cooperative.ts";
import { tooMuchText } from "../../../writing/compact-text.ts";
import { blockOf, partsOf, textOf, type PagePart } from "../layout/page-blocks.ts";
import type { Segment, TextItem } from "../layout/segment.ts";
import { columnsOf, columnsAt } from "../layout/tables.ts";
import type { PageStructure, StructurePart } from "./structure-tree.ts";

/** Least share of a page's characters that the tree must contain to be trusted. */
const MIN_COVERAGE = 0.9;
const MAX_LINES = 60;
/** Cells of a table: where each row adds a column, there are more than the memory holds. */
const MAX_CELLS = 1 << 20;

export function isPageCovered({ blockOf: blockOfMark }: PageStructure, items: TextItem[]): boolean {
  let [covered, all] = [0, 0];
  for (const { str, mark } of items) {
    if (mark === ARTIFACT) continue;
    const { length } = str.trim();
    all += length;
    if (mark !== undefined && blockOfMark.has(mark)) covered += length;
  }
  return covered > 0 && covered >= all * MIN_COVERAGE;
}

export const ARTIFACT = "Artifact";

/** The page's text in the order and parts of its tree, with text outside the tree in between. */
export function* partsOfStructure(
  segments: Segment[],
  structure: PageStructure,
): CooperativeWork<PagePart[]> {
  const segmentsOf: Held = Map.groupBy(segments, ({ block = LOOSE }) => block);
  const parts: PagePart[] = [];
  const untagged = yield* partsOf(take(LOOSE, segmentsOf));
  let next = 0;
  for (const part of structure.parts) {
    const texts = yield* partsIn(part, structure, segmentsOf);
    yield ITEM_COST;
    const [first] = texts;
    if (first === undefined) continue;
    for (const order = orderOf(first); next < untagged.length; next++) {
      const before = untagged[next];
      if (before === undefined || orderOf(before) > order) break;
      parts.push(before);
    }
    for (const each of texts) parts.push(each);
  }
  // Segments that no part of the tree has taken, such as marks of items without text.
  const rest = yield* partsOf([...segmentsOf.values()].flat());
  return [...parts, ...untagged.slice(next), ...rest];
}

function orderOf(part: PagePart): number {
  return part.kind === "text" ? (part.block.lines[0]?.order ?? 0) : (part.order ?? 0);
}

/** In place of a block, for segments that stand in none. */
const LOOSE = -1;

/** The segments of each block of the tree, until a part takes them. */
type Held = Map<number, Segment[]>;

function* partsIn(
  part: StructurePart,
  { blocks }: PageStructure,
  segmentsOf: Held,
): CooperativeWork<PagePart[]> {
  if (part.kind === "table") return tableOf(part.rows, segmentsOf);
  const role = blocks[part.block];
  const lines = take(part.block, segmentsOf);
  const block = blockOf(lines);
  if (role === undefined || block === null) return [];
  if (role.kind === "flow" || (role.kind === "text" && lines.length > MAX_LINES)) {
    return yield* partsOf(lines);
  }
  const label =
    role.kind === "item" && role.label !== null ? takeText([role.label], segmentsOf) : "";
  return [{ kind: "text", block, role, label }];
}

function tableOf(blocks: number[][][], segmentsOf: Held): PagePart[] {
  const first = blocks.flat(2).find((block) => segmentsOf.has(block)) ?? -1;
  const order = segmentsOf.get(first)?.[0]?.order;
  return order === undefined ? [] : [{ kind: "table", rows: rowsOf(blocks, segmentsOf), order }];
}

function take(block: number, segmentsOf: Held): Segment[] {
  const segments = segmentsOf.get(block) ?? [];
  segmentsOf.delete(block);
  return segments;
}

function takeText(blocks: number[], segmentsOf: Held): string {
  const cells = blocks.map((block) => blockOf(take(block, segmentsOf)));
  return cells.map((block) => (block === null ? "" : textOf(block))).join("\n");
}

/** The tree omits empty cells, so the positions of other cells give the columns. */
function rowsOf(rows: number[][][], segmentsOf: Held): string[][] {
  const cells = rows
    .map((row) =>
      row.flatMap((blocks) => {
        const block = blockOf(blocks.flatMap((number) => segmentsOf.get(number) ?? []));
        return block === null ? [] : [{ block, text: takeText(blocks, segmentsOf) }];
      }),
    )
    .filter((row) => row.length > 0);
  const columns = columnsOf(cells.map((row) => row.map(({ block }) => block)));
  if (cells.length * columns.length > MAX_CELLS) throw tooMuchText();
  return cells.map((row) => {
    const texts: string[] = columns.map(() => "");
    let next = 0;
    for (const { block, text } of row) {
      const column = Math.max(next, columnsAt(columns, block).at);
      texts[column] = text;
      next = column + 1;
    }
    return Array.from(texts, (text) => text ?? "");
  });
}
