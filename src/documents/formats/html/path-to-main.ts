import type { Block } from "./text-block.ts";

/** Least share of a page's text that the block with the main text holds. */
const MAIN_SHARE = 0.7;
/** Blocks of the same kind beside it are text like it: chapters, posts of a thread. */
const PEER_SHARE = 0.15;

const TEXT_BLOCKS = new Set("p ul ol li dl dd dt blockquote pre figure".split(" "));
const TABLE = /^t(?:able|body|head|r)$/;

/**
 * Sums the prose of blocks that are not around the text. Such a block has no title or most prose, and
 * is of another kind than one that has.
 */
export function sumProse(block: Block, total: number): void {
  for (const child of block.children) sumProse(child, total);
  const most = block.children.find((child) => isMostOfPage(child, total));
  for (const child of block.children) {
    if (child.hasTitle || child.kind === most?.kind) child.around = null;
    if (child.around !== null) continue;
    block.prose += child.prose;
    block.mass += child.mass;
  }
}

function isMostOfPage({ around, isComments, hasMain, allProse, parent }: Block, total: number) {
  if (around === null || isComments) return false;
  if (hasMain && around === "likely") return true;
  return (
    allProse > total / 2 && !parent?.children.some((each) => each.hasMain && each.around === null)
  );
}

/** The blocks from the page to the innermost that holds most of its text. */
export function pathToMain(root: Block): Block[] {
  const path = [root];
  for (let block = root; ;) {
    const next = block.children.find((child) => mayHoldMain(child, root.mass));
    if (next === undefined || hasPeers(block, next)) break;
    path.push((block = next));
  }
  // A table of data stands in the text.
  while (TABLE.test(path.at(-1)?.name ?? "")) path.pop();
  return path;
}

const mayHoldMain = ({ name, around, mass }: Block, total: number) =>
  around === null && !TEXT_BLOCKS.has(name) && mass >= total * MAIN_SHARE;

function hasPeers({ children }: Block, next: Block): boolean {
  let prose = 0;
  for (const child of children) {
    const isPeer = child !== next && child.around === null && child.kind === next.kind;
    if (isPeer && child.prose > child.linked) prose += child.prose;
  }
  return prose > next.prose * PEER_SHARE;
}
