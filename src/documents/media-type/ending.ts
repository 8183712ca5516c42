/** The ending of `docs/Report.PDF` is `pdf`, that of `Makefile` is `makefile`. */
export function endingOf(name: string): string {
  const base = name.slice(name.lastIndexOf("/") + 1).toLowerCase();
  return base.slice(base.lastIndexOf(".") + 1);
}
