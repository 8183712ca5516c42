declare module "#character-maps/*" {
  export const CMAPS: Record<string, string>;
}
