import { z } from "zod";

import { MIN_PASSWORD_LENGTH } from "./password-rules.ts";
import { MAX_PASSWORD_LENGTH } from "./password.ts";

export const MAX_EMAIL_LENGTH = 254;
/** Loose on purpose: `admin@localhost` is a good address on a laptop. */
const EMAIL_PATTERN = /^[^\s@]+@[^\s@]+$/;

const email = z
  .string()
  .trim()
  .max(MAX_EMAIL_LENGTH)
  .regex(EMAIL_PATTERN, "must be an e-mail address")
  .meta({ label: "E-mail", input: "email" });
const password = z
  .string()
  .min(MIN_PASSWORD_LENGTH)
  .max(MAX_PASSWORD_LENGTH)
  .meta({
    label: "Password",
    hint: `At least ${MIN_PASSWORD_LENGTH} characters. The user can change it.`,
    input: "password",
  });

export const ROLES = {
  member: "member: changes nothing, searches files with permissions as themselves",
  admin: "admin: may change everything, and reads every file",
};
export const role = z.enum(["admin", "member"]).meta({ label: "Role", choices: ROLES });

export const newUser = z.object({ email, password, role });
export const newInvitation = newUser.omit({ password: true });
export const userPatch = newUser
  .extend({
    password: password.meta({
      label: "New password",
      hint: "Leave empty to keep it. A new password or role ends the user’s sessions.",
    }),
  })
  .partial();

/** Accepts any password, whatever the rules were when it was chosen. */
export const typedPassword = z.string().min(1).max(MAX_PASSWORD_LENGTH).meta({ input: "password" });
export const ownPassword = z.object({
  currentPassword: typedPassword.meta({
    label: "Current password",
    input: "password",
    autocomplete: "current-password",
  }),
  newPassword: password.meta({
    label: "New password",
    hint: `At least ${MIN_PASSWORD_LENGTH} characters. Your other sessions end.`,
  }),
});

/** A typed address is recorded only if it looks like one: it may be a password. */
export const emailIn = (typed: string) =>
  email.safeParse(typed).success ? foldEmail(typed) : "unknown";

/** Addresses are compared without case, as people type them. */
export const foldEmail = (email: string) => email.trim().toLowerCase();
