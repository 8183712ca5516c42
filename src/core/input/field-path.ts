/** `selectedFiles[0].files` for ["selectedFiles", 0, "files"]; an empty path gives `whole`. */
export function pathText(path: readonly PropertyKey[], whole: string): string {
  const text = path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");
  return text === "" ? whole : text;
}
