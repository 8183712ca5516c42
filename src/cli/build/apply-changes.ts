export type Changes = Record<string, string>;

/** @throws Error unless each text that is to be replaced is there once */
export function applyChanges(text: string, changes: Changes): string {
  for (const [from, to] of Object.entries(changes)) {
    if (text.split(from).length !== 2) throw new Error(`The text has no single ${from}`);
    text = text.replace(from, () => to);
  }
  return text;
}
