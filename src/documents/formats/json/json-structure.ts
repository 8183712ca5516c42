/**
 * The brackets and commas of JSON outside its strings, one after the other; a quotation mark where
 * the text ends within a string.
 * @param place how far it came, in characters
 */
export function* jsonStructure(text: string, place: { at: number }): Generator<string> {
  const structure = /["{}[\],]/g;
  for (let found = structure.exec(text); found !== null; found = structure.exec(text)) {
    place.at = found.index;
    const end = found[0] === '"' ? stringEnd(text, found.index) : null;
    if (end === null) yield found[0];
    if (end === null && found[0] === '"') return;
    structure.lastIndex = end ?? structure.lastIndex;
  }
}

/** The place after a string or its line; null when the text ends within it. */
function stringEnd(text: string, start: number): number | null {
  const special = /["\\\n]/g;
  special.lastIndex = start + 1;
  for (let found = special.exec(text); found !== null; found = special.exec(text)) {
    if (found[0] !== "\\") return special.lastIndex;
    special.lastIndex++;
  }
  return null;
}
