import { PIECE_COST, columnsInUse } from "./block-list.ts";
import type { BlockList, BlockTarget, FilledRow } from "./block-list.ts";
import { charactersOf } from "./table-text.ts";

/** So many rows determine which columns are used; later rows are written as they arrive. */
const HELD_ROWS = 1_000;
const HELD_CHARACTERS = 1 << 20;
/** A table whose rows have about one cell each, and its cells several blocks, places paragraphs. */
const PLACED_CELLS_A_ROW = 1.25;
const PLACED_BLOCKS_A_CELL = 1.5;

export class LongTable {
  /** Rows added since the last table ended. */
  length = 0;
  /** Whether its writer says which cells are headers: it is no layout, whatever its cells hold. */
  hasHeads = false;
  #held: FilledRow[] = [];
  #heldCharacters = 0;
  #columns: number[] | null = null;
  /** Whether rows before the held ones are written: the first of these is no header. */
  #isContinued = false;
  readonly #out: BlockTarget;

  constructor(out: BlockTarget) {
    this.#out = out;
  }

  add(rows: FilledRow[]): void {
    this.length += rows.length;
    for (const row of rows.filter(({ cells }) => cells.length > 0)) {
      if (this.#columns === null) this.#hold(row);
      else this.#out.moreRows([row], this.#columns);
    }
  }

  #hold(row: FilledRow): void {
    this.#held.push(row);
    this.#heldCharacters += charactersOf(row) + piecesOf(row) * PIECE_COST;
    if (this.#held.length < HELD_ROWS && this.#heldCharacters < HELD_CHARACTERS) return;
    const columns = this.#write();
    if (columns.length > 0) this.#columns = columns;
  }

  end(): void {
    this.#write();
    this.#columns = null;
    this.#isContinued = false;
    this.length = 0;
    this.hasHeads = false;
  }

  /** Writes the held rows, and returns the columns of the table that later rows continue. */
  #write(): number[] {
    const rows = this.#held.splice(0);
    this.#heldCharacters = 0;
    if (!isLayout(rows, this.hasHeads)) return this.#out.filledTable(rows, !this.#isContinued);
    this.layOut(rows);
    this.#isContinued = true;
    return [];
  }

  /** Writes what the cells hold; rows of values stay rows. */
  layOut(rows = this.#held.splice(0)): void {
    const values: FilledRow[] = [];
    const endValues = () => {
      const hasHeader = !this.#isContinued && values[0] === rows[0];
      if (values.length > 0) this.#out.filledTable(values.slice(), hasHeader);
      for (const { blocks = [] } of values.splice(0))
        for (const cell of blocks) cell?.writePages(this.#out);
    };
    for (const row of rows) {
      if (rows.length > 1 && isOfValues(row)) values.push(row);
      else {
        endValues();
        for (const cell of row.blocks ?? []) cell?.writeTo(this.#out);
      }
    }
    endValues();
  }
}

const piecesOf = ({ cells, blocks = [] }: FilledRow) =>
  blocks.reduce((pieces, cell) => pieces + (cell?.pieces ?? 1), 0) || cells.length;

/** A passage stands alone or beside its label. */
const MAX_LABELLED_CELLS = 2;
/** A third of the cells with headings and text, tables or code are no values. */
const STRUCTURED_SHARE = 3;

const isOfValues = ({ cells, blocks = [] }: FilledRow) =>
  cells.length > 1 && !blocks.some((cell) => cell?.isDocument);

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);
const charactersIn = (cells: BlockList[]) => sum(cells.map(({ characters }) => characters));

/** Whether a table only places what its cells hold: it has no columns of values. */
function isLayout(rows: FilledRow[], hasHeads: boolean): boolean {
  if (rows[0]?.blocks === undefined) return false;
  if (columnsInUse(rows).length < 2) return true;
  if (hasHeads && rows.length > 1) return false;
  const cells = rows.flatMap(({ blocks = [] }) => blocks.filter((cell) => cell !== null));
  if (rows.length === 1) return holdsPassages(cells);
  const filled = sum(rows.map((row) => row.cells.length));
  const blocks = sum(cells.map((cell) => cell.length));
  if (filled <= rows.length * PLACED_CELLS_A_ROW && blocks >= filled * PLACED_BLOCKS_A_CELL)
    return true;
  return areDocuments(rows, cells);
}

/** Whether the rows' cells hold documents, most of all. */
function areDocuments(rows: FilledRow[], cells: BlockList[]): boolean {
  const documents = cells.filter((cell) => cell.isDocument);
  const structured = documents.filter((cell) => cell.hasStructure);
  if (structured.length * STRUCTURED_SHARE >= cells.length) return true;
  const isWide = columnsInUse(rows).length > MAX_LABELLED_CELLS;
  if (isWide && isRegular(rows)) return false;
  if (charactersIn(documents) * 2 <= charactersIn(cells)) return false;
  return structured.length > 0 || !isRegular(rows);
}

/** Whether the only row is none of values or of names. */
function holdsPassages(cells: BlockList[]): boolean {
  const headings = cells.filter((cell) => cell.isHeading).length;
  return cells.some((cell) => cell.isPassage) || (headings > 0 && headings < cells.length);
}

/** Whether values and passages stand in the same columns of most rows, below names. */
function isRegular([header, ...rows]: FilledRow[]): boolean {
  const hasNames = header?.blocks?.every((cell) => cell?.isDocument === false) === true;
  const isAlike = ({ columns }: FilledRow) => String(columns) === String(header?.columns);
  const areMostlyAlike = (some: FilledRow[]) => some.filter(isAlike).length * 2 > some.length;
  const passages = rows.filter(({ blocks }) => blocks?.some((cell) => cell?.isDocument));
  return hasNames && rows.length > 1 && areMostlyAlike(rows) && areMostlyAlike(passages);
}
