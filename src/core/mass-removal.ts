/** As many may always be removed. */
export const REMOVED_FREELY = 20;
const HELD_SHARE = 0.5;

/** Over 20 files, and over half of those `before` (new ones not counted), await a confirmation. */
export const isMassRemoval = (removals: number, before: number): boolean =>
  removals > REMOVED_FREELY && removals > before * HELD_SHARE;
