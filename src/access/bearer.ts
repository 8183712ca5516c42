const BEARER = /^bearer +(\S+) *$/i;

/** The credential of an `Authorization: Bearer …` header; null when the header has another form. */
export function bearerIn(authorization: string | null): string | null {
  return BEARER.exec(authorization ?? "")?.[1] ?? null;
}
