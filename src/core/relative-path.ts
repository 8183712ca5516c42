import { z } from "zod";

export const MUST_BE_RELATIVE = "must be relative, without a leading /";

export const NO_LEADING_SLASH = /^(?!\/)/;

/** A path as scopes have it, wherever one is given. */
export const relativePath = z.string().regex(NO_LEADING_SLASH, MUST_BE_RELATIVE);
