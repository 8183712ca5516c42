/** `Text/HTML; charset=x` becomes `text/html`; null when there is no usable type. */
export function bareMediaType(contentType: string | null): string | null {
  const type = contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : null;
}
