export const EMAIL_MAX_LENGTH = 254;
/** Loose on purpose: `admin@localhost` is a good address on a laptop. */
export const EMAIL_PATTERN = /^[^\s@]+@[^\s@]+$/;

/** Addresses are compared without case, as people type them. */
export const foldEmail = (email: string) => email.trim().toLowerCase();
