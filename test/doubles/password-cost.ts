/**
 * In place of src/access/users/password-cost.ts where Worker tests sign in: with the real cost half
 * of their processor time was hashing. The real one is held by test/unit/access/password.test.ts.
 */
export const COST = 1_024;
