/** Of the whole deployment. */
export const SETS_MAX = 100;
export const QUESTIONS_MAX = 1_000;
/** Finished runs of a set beyond these are deleted, the oldest first. */
export const RUNS_KEPT = 30;
/** Runs under way in the whole deployment: they share queues and models with everything else. */
export const RUNS_AT_ONCE = 4;

export const QUESTION_MAX_LENGTH = 2_000;
export const EXPECTED_MAX = 10;
export const PATH_MAX_LENGTH = 4_096;
export const PASSAGE_MAX_LENGTH = 2_000;
/** Of an expected answer or a rubric. */
export const ANSWER_MAX_LENGTH = 4_000;
export const SCHEMA_MAX_LENGTH = 16_384;

/** Of an imported file. */
export const IMPORT_MAX_BYTES = 1_048_576;
