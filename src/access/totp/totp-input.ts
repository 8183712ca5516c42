import { z } from "zod";

import { MAX_EMAIL_LENGTH, typedPassword } from "../users/user-input.ts";

const MAX_CODE_LENGTH = 40;

/** A code of an authenticator app, or a recovery code. */
const code = z.string().min(1).max(MAX_CODE_LENGTH).meta({ input: "password" });

export const credentials = z.object({
  email: z.string().min(1).max(MAX_EMAIL_LENGTH),
  password: typedPassword,
  code: code.optional(),
});

export const confirmation = z.object({ code });

export const proof = z
  .object({ code: code.optional(), password: typedPassword.optional() })
  .meta({ minProperties: 1 })
  .refine((proof) => proof.code !== undefined || proof.password !== undefined, {
    path: ["code"],
    message: "or password is required",
  });
