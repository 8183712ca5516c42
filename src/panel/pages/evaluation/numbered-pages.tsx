import { Pager } from "../../components/pager.tsx";
import type { PageContext } from "../page-env.ts";

export const QUESTIONS_A_PAGE = 50;
/** A set and a run have at most 1,000 questions. */
const PAGES_MAX = 20;

/** `?page=` from 1; anything else is the first. */
export function pageNumberOf({ req }: PageContext): number {
  const number = Number(req.query("page"));
  return Number.isInteger(number) && number >= 1 && number <= PAGES_MAX ? number : 1;
}

type PagesProps = { here: string; number: number; total: number };

export const NumberedPages = ({ here, number, total }: PagesProps) => {
  const last = Math.ceil(total / QUESTIONS_A_PAGE);
  return (
    <Pager
      previous={number > 1 ? `${here}?page=${number - 1}` : null}
      next={number < last ? `${here}?page=${number + 1}` : null}
    />
  );
};
