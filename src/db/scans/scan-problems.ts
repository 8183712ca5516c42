import type { Statement } from "../raw-sql.ts";
import { statement } from "../raw-sql.ts";
import type { ScanProblem } from "../schema/sources.ts";
import { COMMITTED } from "./scan-store.ts";
import type { ScanRun } from "./scan-store.ts";

/** Of a run; its count `failed` knows of all. */
const PROBLEMS_KEPT = 20;
const MAX_CHARACTERS = 500;

/** Adds to what a run tells of files and addresses that it could not read. */
export function addProblems(run: ScanRun, commit: string, problems: ScanProblem[]): Statement[] {
  if (problems.length === 0) return [];
  const kept = problems.slice(0, PROBLEMS_KEPT).map(({ path, message }) => ({
    path: path.slice(0, MAX_CHARACTERS),
    message: message.slice(0, MAX_CHARACTERS),
  }));
  return [
    statement(
      `update scan_runs set problems = (select json_group_array(json(value)) from (
         select value from json_each(scan_runs.problems) union all
         select value from json_each(?3) limit ${PROBLEMS_KEPT}))
       where id = ?1 and json_array_length(problems) < ${PROBLEMS_KEPT} and ${COMMITTED}`,
      run.id,
      commit,
      kept,
    ),
  ];
}
