/** D1 accepts a parameter of up to 2 MB, and a character may take three bytes. */
const MAX_PARAMETER_CHARACTERS = 600_000;

/** Items in their order, in lists that each fit into one parameter as JSON. */
export function portionsOf<Item>(items: readonly Item[]): Item[][] {
  const portions: Item[][] = [];
  let open: Item[] = [];
  let characters = 0;
  for (const item of items) {
    const { length } = JSON.stringify(item);
    if (open.length === 0 || characters + length > MAX_PARAMETER_CHARACTERS) {
      open = [];
      characters = 0;
      portions.push(open);
    }
    open.push(item);
    characters += length;
  }
  return portions;
}
