/** Replacing stores all matches first, so a long text is processed in pieces. */
const PIECE_CHARACTERS = 1 << 16;
const UNFOLDED = /[\s\u0085]{2,}|[^\S ]|\u0085/gu;

export function foldSpace(text: string): string {
  if (text.length <= PIECE_CHARACTERS) return text.replace(UNFOLDED, " ").trim();
  const pieces: string[] = [];
  let endsInSpace = true;
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    const piece = text.slice(at, at + PIECE_CHARACTERS).replace(UNFOLDED, " ");
    pieces.push(endsInSpace && piece.startsWith(" ") ? piece.slice(1) : piece);
    endsInSpace = piece.endsWith(" ");
  }
  return pieces.join("").trim();
}
