import { z } from "zod";

import type { LeftOut } from "../../ports/source-reader.ts";

export const leftOutList: z.ZodType<LeftOut[]> = z.array(
  z.object({ limit: z.string(), addresses: z.number(), isAtLeast: z.boolean() }),
);
