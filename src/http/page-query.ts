import { z } from "@hono/zod-openapi";

const LIMIT_DEFAULT = 20;
export const MAX_LIMIT = 100;
/** Above it the product of page and limit would not be an exact number. */
const MAX_PAGE = 1_000_000_000;

/** An integer of a query string within bounds; any other text is refused with a reason. */
function integer(min: number, max: number) {
  return z
    .string()
    .regex(/^-?\d+$/, "must be an integer")
    .transform(Number)
    .pipe(z.number().min(min).max(max));
}

const limitInteger = integer(1, MAX_LIMIT);

export const page = integer(1, MAX_PAGE).openapi({
  type: "integer",
  minimum: 1,
  maximum: MAX_PAGE,
  description: "From 1; a page past the end is empty.",
  example: 1,
});

const limitFacts = {
  type: "integer",
  minimum: 1,
  maximum: MAX_LIMIT,
  default: LIMIT_DEFAULT,
  description: "Files on a page.",
} as const;

export const limit = limitInteger.optional().openapi(limitFacts);

/** The limit of a list that can be requested whole: ignored without `page`, whatever its value. */
export const limitOfPage = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .openapi(limitFacts);

type PageAndLimit = { page?: unknown; limit?: unknown };

export const isLimitValid = ({ page, limit }: PageAndLimit) =>
  page === undefined || limit === undefined || limitInteger.safeParse(limit).success;

/** The error for such a list's query, also when another field has failed already. */
export const limitProblem = {
  path: ["limit"],
  message: `must be an integer from 1 to ${MAX_LIMIT}`,
  when: () => true,
};

/** The range of a list that a page number and a limit select. */
export function pageNumbers(page: number, limitParameter: unknown = LIMIT_DEFAULT) {
  const limit = Number(limitParameter);
  return { page, limit, offset: (page - 1) * limit };
}
