/** Question sets of the whole deployment. */
export const MAX_SETS = 100;
export const MAX_QUESTIONS = 1_000;
/** Finished runs of a set beyond these are deleted, the oldest first. */
export const RUNS_KEPT = 30;
/** Runs under way in the whole deployment: they share queues and models with everything else. */
export const RUNS_AT_ONCE = 4;

export const MAX_QUESTION_LENGTH = 2_000;
export const MAX_EXPECTED = 10;
export const MAX_PATH_LENGTH = 4_096;
export const MAX_PASSAGE_LENGTH = 2_000;
/** Characters of an expected answer or a rubric. */
export const MAX_ANSWER_LENGTH = 4_000;
export const MAX_SCHEMA_LENGTH = 16_384;

/** Bytes of an imported file. */
export const MAX_IMPORT_BYTES = 1_048_576;
