import type { ScanProblem } from "../schema/sources.ts";
import { sql, type Sql } from "../sql.ts";
import { isCommitted, type ScanRun } from "./scan-store.ts";

/** Of a run; its count `failed` knows of all. */
const PROBLEMS_KEPT = 20;
const MAX_CHARACTERS = 500;

/** Adds to what a run tells of files and addresses that it could not read. */
export function addProblems(run: ScanRun, commit: string, problems: ScanProblem[]): Sql[] {
  if (problems.length === 0) return [];
  const kept = problems.slice(0, PROBLEMS_KEPT).map(({ path, message }) => ({
    path: path.slice(0, MAX_CHARACTERS),
    message: message.slice(0, MAX_CHARACTERS),
  }));
  return [
    sql`update scan_runs set problems = (select json_group_array(json(value)) from (
        select value from json_each(scan_runs.problems) union all
        select value from json_each(${kept}) limit ${PROBLEMS_KEPT}))
      where id = ${run.id} and json_array_length(problems) < ${PROBLEMS_KEPT}
        and ${isCommitted(run, commit)}`,
  ];
}
