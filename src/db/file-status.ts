import { oneOf, computed } from "./select.ts";
import { FILE_STATUSES, LEAST_FINISHED_FIRST } from "./schema/rags.ts";

/** The status of a row `x` of rag_files that does not leave its RAG, as lists show it. */
export const shownStatus = (x: string) => computed(oneOf(FILE_STATUSES), `${x}.status`);

/** The place of a status in `LEAST_FINISHED_FIRST`. */
export const rankOf = (status: string): string => {
  const ranks = LEAST_FINISHED_FIRST.map((one, rank) => `when '${one}' then ${rank}`);
  return `case ${status} ${ranks.join(" ")} end`;
};
