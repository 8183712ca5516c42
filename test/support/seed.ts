/**
 * Properties are tried with the same values in every run, so that no change fails by chance. Other
 * values: `PROPERTY_SEED=$RANDOM vitest run --project unit test/unit/…`.
 */
export const SEED = Number(process.env["PROPERTY_SEED"] ?? 20_261_122);
