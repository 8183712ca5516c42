const MAX_NOTES = 10;
const MAX_CHARACTERS = 200;

/** Control, format and unpaired characters: a note may quote names of the document. */
const UNPRINTED = /[\p{Cc}\p{Cf}\p{Cs}]/gu;

/** A document's notes as stored with its file: few, short and printable. */
export function storedNotes(notes: string[]): string[] {
  const more = notes.length - MAX_NOTES + 1;
  const kept = notes.length > MAX_NOTES ? notes.slice(0, MAX_NOTES - 1) : notes;
  const short = kept.map(shortened);
  return kept === notes ? short : [...short, `${more} more notes`];
}

function shortened(note: string): string {
  const line = note.length > MAX_CHARACTERS ? `${note.slice(0, MAX_CHARACTERS - 1)}…` : note;
  return line.replace(UNPRINTED, "");
}
