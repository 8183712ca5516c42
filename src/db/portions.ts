import { inBatchesBySize } from "../core/work/batches.ts";

/** D1 accepts a parameter of up to 2 MB, and a character may take three bytes. */
const MAX_PARAMETER_CHARACTERS = 600_000;

/** Items in their order, in lists that each fit into one parameter as JSON. */
export const portionsOf = <Item>(items: readonly Item[]): Item[][] =>
  inBatchesBySize(
    items,
    { total: MAX_PARAMETER_CHARACTERS },
    (item) => JSON.stringify(item).length,
  );
