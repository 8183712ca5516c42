/** A page's part of the structure tree (ISO 32000-2, §14.7), as pdf.js gives it. */
export type TreeNode =
  | { role: string; children: TreeNode[] }
  | { type: string; id: string; role?: undefined };

/** The role of a stretch of marked content. `flow`: unknown, so its position decides. */
export type BlockRole =
  | { kind: "flow" | "text" | "quote" | "code" | "label" }
  | { kind: "heading"; level: number }
  /** `label`: the number of the block that contains the item's mark. */
  | { kind: "item"; depth: number; label: number | null };

export type StructurePart =
  | { kind: "block"; block: number }
  | { kind: "table"; rows: number[][][] };

export type PageStructure = {
  blocks: BlockRole[];
  blockOf: Map<string, number>;
  parts: StructurePart[];
};

const HEADING = /^(?:H([1-6])?|Title)$/;
const TEXTS = new Set("P Caption TOCI Note FENote BibEntry Formula Lbl".split(" "));
const GROUPS = new Set(
  "Document DocumentFragment Part Art Sect Div Aside TOC Index THead TBody TFoot Figure LBody Table".split(
    " ",
  ),
);
const ROWS = new Set(["THead", "TBody", "TFoot"]);
const CELLS = new Set(["TH", "TD"]);

export function structureOf(tree: TreeNode): PageStructure {
  const reader = new TreeReader();
  reader.visit(tree);
  return reader.structure;
}

class TreeReader {
  readonly structure: PageStructure = { blocks: [], blockOf: new Map(), parts: [] };
  /** The block for the next content; null if a new one begins. */
  #current: number | null = null;
  #role: BlockRole = { kind: "flow" };
  #cell: number[] | null = null;
  #depth = -1;
  #item: { label: number | null } | null = null;

  visit(node: TreeNode): void {
    if (node.role === undefined) {
      if (node.type === "content") this.#addContent(node.id);
      return;
    }
    const { role, children } = node;
    if (role === "L") this.#visitList(children);
    else if (role === "LI") this.#visitItem(children);
    else if (role === "Lbl" && this.#item !== null) this.#visitLabel(children);
    else if (role === "Table" && this.#cell === null && isPlainTable(node)) this.#visitTable(node);
    else {
      const apart = this.#roleOf(node);
      if (apart !== null) this.#visitWithin(apart, children);
      else for (const child of children) this.visit(child);
    }
  }

  #roleOf(node: TreeNode): BlockRole | null {
    const { role = "" } = node;
    const heading = HEADING.exec(role);
    if (heading !== null) return { kind: "heading", level: Number(heading[1] ?? 1) };
    if (role === "BlockQuote") return { kind: "quote" };
    const isQuoted = this.#role.kind === "quote";
    if (TEXTS.has(role)) return isQuoted ? this.#role : { kind: "text" };
    if (role === "Code" && this.#role.kind === "flow") return { kind: "code" };
    return GROUPS.has(role) || this.#isPlace(node) ? this.#role : null;
  }

  /** A `div` by Chromium: it groups runs of text but is no block itself. */
  #isPlace({ role, ...node }: TreeNode): boolean {
    const holds = "children" in node ? node.children : [];
    return role === "NonStruct" && this.#role.kind === "flow" && holds.some((child) => child.role);
  }

  #addContent(id: string): void {
    if (this.structure.blockOf.has(id)) return;
    this.#current ??= this.#newBlock();
    this.structure.blockOf.set(id, this.#current);
  }

  #newBlock(): number {
    const { blocks, parts } = this.structure;
    const number = blocks.length;
    if (this.#item !== null && this.#role.kind !== "label") {
      blocks.push({ kind: "item", depth: this.#depth, label: this.#item.label });
      this.#item = null;
    } else blocks.push(this.#role);
    if (this.#cell !== null) this.#cell.push(number);
    else if (this.#role.kind !== "label") parts.push({ kind: "block", block: number });
    return number;
  }

  #visitWithin(role: BlockRole, children: TreeNode[]): void {
    const outer = this.#role;
    this.#role = role;
    this.#current = null;
    for (const child of children) this.visit(child);
    this.#current = null;
    this.#role = outer;
  }

  #visitList(children: TreeNode[]): void {
    const before = this.#item;
    this.#depth++;
    this.#item = null;
    this.#visitWithin(this.#role, children);
    this.#item = before;
    this.#depth--;
  }

  #visitItem(children: TreeNode[]): void {
    const before = this.#item;
    this.#item = this.#cell === null && this.#depth >= 0 ? { label: null } : null;
    this.#visitWithin({ kind: "text" }, children);
    this.#item = before;
  }

  #visitLabel(children: TreeNode[]): void {
    const label = this.structure.blocks.length;
    this.#visitWithin({ kind: "label" }, children);
    if (this.#item !== null && this.structure.blocks.length > label) this.#item.label = label;
  }

  #visitTable(table: TreeNode): void {
    const rows = rowsOf(table).map((row) => {
      const cells = (row.role === undefined ? [] : row.children).filter(
        ({ role }) => role !== undefined && CELLS.has(role),
      );
      return cells.map((cell) => {
        this.#cell = [];
        if (cell.role !== undefined) this.#visitWithin({ kind: "text" }, cell.children);
        return this.#cell;
      });
    });
    this.#cell = null;
    this.structure.parts.push({ kind: "table", rows });
  }
}

function rowsOf(node: TreeNode): TreeNode[] {
  if (node.role === undefined) return [];
  return node.children.flatMap((child) => {
    if (child.role === "TR") return [child];
    return child.role !== undefined && ROWS.has(child.role) ? rowsOf(child) : [];
  });
}

function isPlainTable(table: TreeNode): boolean {
  const hasBlocks = ({ role, ...node }: TreeNode): boolean =>
    role !== undefined &&
    "children" in node &&
    (role === "Table" || HEADING.test(role) || node.children.some(hasBlocks));
  const rows = rowsOf(table);
  return rows.length > 0 && !rows.some(hasBlocks);
}
