/** The `[env.…]` of wrangler.toml that can be deployed. */
export const ENVIRONMENTS = ["production", "preview"] as const;
export type EnvironmentName = (typeof ENVIRONMENTS)[number];
