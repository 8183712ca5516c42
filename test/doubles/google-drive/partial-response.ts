/** `a,b(c,d)` as a tree; null means the whole value. */
type Fields = Map<string, Fields | null>;

/** https://developers.google.com/workspace/drive/api/guides/fields-parameter */
export function parseFields(text: string): Fields {
  let at = 0;
  const list = (): Fields => {
    const fields: Fields = new Map();
    for (;;) {
      const from = at;
      while (at < text.length && !"(),".includes(text[at] ?? "")) at++;
      const name = text.slice(from, at);
      let inner: Fields | null = null;
      if (text[at] === "(") {
        at++;
        inner = list();
        if (text[at] !== ")") throw new Error("unbalanced");
        at++;
      }
      fields.set(name, inner);
      if (text[at] !== ",") return fields;
      at++;
    }
  };
  return list();
}

/** Reduces a value to these fields, as a partial response does. */
export function selected(value: unknown, fields: Fields | null): unknown {
  if (fields === null || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => selected(item, fields));
  const entries = Object.entries(value).filter(([name]) => fields.has(name));
  return Object.fromEntries(
    entries.map(([name, inner]) => [name, selected(inner, fields.get(name) ?? null)]),
  );
}
