import type { Config } from "../../config.ts";

/** Under `REQUIRE_TOTP` a session of a password is for enrolling a second factor until it is done. */
export const mustEnrol = (
  { REQUIRE_TOTP }: Pick<Config, "REQUIRE_TOTP">,
  { hasTotp, isVouched }: { hasTotp: boolean; isVouched: boolean },
): boolean => REQUIRE_TOTP && !hasTotp && !isVouched;
