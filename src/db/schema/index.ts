export * from "./contents.ts";
export * from "./access.ts";
export * from "./evaluation.ts";
export * from "./models.ts";
export * from "./permissions.ts";
export * from "./rags.ts";
export * from "./sources.ts";
export * from "./spending.ts";
