export function toBatches<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/** Batches of at most `total` size and `count` items; a larger item has one to itself. */
export function splitBySize<Item>(
  items: readonly Item[],
  { total, count = Infinity }: { total: number; count?: number },
  sizeOf: (item: Item) => number,
): Item[][] {
  const batches: Item[][] = [];
  let open: Item[] = [];
  let filled = 0;
  for (const item of items) {
    const size = sizeOf(item);
    if (open.length === 0 || open.length >= count || filled + size > total) {
      open = [];
      filled = 0;
      batches.push(open);
    }
    open.push(item);
    filled += size;
  }
  return batches;
}
