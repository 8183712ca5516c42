import type { Key } from "../../db/keyset.ts";
import { cursorOf } from "../pages/request/list-query.ts";

/** `here` is the page's address with its filters; the cursors replace those in it. */
export const Pager = (props: { here: string; before: Key | null; after: Key | null }) => {
  const { here, before, after } = props;
  if (before === null && after === null) return null;
  return (
    <nav class="pager" aria-label="Pages">
      <Turn here={here} direction="before" cursor={before} label="Previous" />
      <Turn here={here} direction="after" cursor={after} label="Next" />
    </nav>
  );
};

type TurnProps = {
  here: string;
  direction: "before" | "after";
  cursor: Key | null;
  label: string;
};

const Turn = ({ here, direction, cursor, label }: TurnProps) =>
  cursor === null ? (
    <span class="faint">{label}</span>
  ) : (
    <a href={turned(here, direction, cursor)}>{label}</a>
  );

function turned(here: string, direction: "before" | "after", cursor: Key): string {
  const [path = "", query = ""] = here.split("?", 2);
  const parameters = new URLSearchParams(query);
  parameters.delete("before");
  parameters.delete("after");
  parameters.set(direction, cursorOf(cursor));
  return `${path}?${parameters.toString()}`;
}
