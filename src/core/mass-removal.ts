/** As many may always be removed. */
export const REMOVED_FREELY = 20;
const HELD_SHARE = 0.5;

/**
 * Whether a removal waits until a person confirms it: more than 20 files, and more than half of
 * those that were there before. New files do not count: `before` is without them.
 */
export const isMassRemoval = (removals: number, before: number): boolean =>
  removals > REMOVED_FREELY && removals > before * HELD_SHARE;
