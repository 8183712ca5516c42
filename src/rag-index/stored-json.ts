/** A list of strings as a column holds it. */
export function stringsIn(json: string): string[] {
  const list: unknown = JSON.parse(json);
  if (!Array.isArray(list)) throw new TypeError("a list of strings was expected");
  return list.map(String);
}
