/** A text as an http or https URL; null: it is none. */
export function webUrlIn(text: string): URL | null {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url : null;
}

/** Returns the text as it is where it is not percent-encoded UTF-8. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
