/** The cursors around a page of a list; null where it ends. */
export type Cursors = { before: string | null; after: string | null };

/** `here` is the page's address with its filters; the cursors replace those in it. */
export const Pager = ({ here, cursors }: { here: string; cursors: Cursors }) => {
  if (cursors.before === null && cursors.after === null) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {cursors.before === null ? (
        <span class="soft">Previous</span>
      ) : (
        <a href={turned(here, "before", cursors.before)} rel="prev">
          Previous
        </a>
      )}
      {cursors.after === null ? (
        <span class="soft">Next</span>
      ) : (
        <a href={turned(here, "after", cursors.after)} rel="next">
          Next
        </a>
      )}
    </nav>
  );
};

function turned(here: string, direction: "before" | "after", cursor: string): string {
  const [path = "", query = ""] = here.split("?", 2);
  const parameters = new URLSearchParams(query);
  parameters.delete("before");
  parameters.delete("after");
  parameters.set(direction, cursor);
  return `${path}?${parameters.toString()}`;
}
