/** What a heading of `#` says, without the marks that may close it (CommonMark 0.31, §4.2). */
export function headingText(afterMarks: string): string {
  const text = afterMarks.trim();
  let end = text.length;
  while (text[end - 1] === "#") end--;
  const closes = end < text.length && /\s/.test(text[end - 1] ?? "");
  return closes ? text.slice(0, end).trimEnd() : text;
}
