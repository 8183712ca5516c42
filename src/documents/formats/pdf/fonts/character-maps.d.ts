/** Written to dist/character-maps by the build. */
declare module "#character-maps/*" {
  export const CMAPS: Record<string, string>;
}
