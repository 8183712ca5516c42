const START = "/panel";
const SIGN_IN = "/panel/sign-in";
/** The page that asks whether a program may be connected. */
const AUTHORIZE = "/authorize";

const isPage = (path: string) =>
  path === AUTHORIZE || path === START || (path.startsWith(`${START}/`) && path !== SIGN_IN);

/** The page of this service that was asked for; the overview for any other address. */
export function addressAfterSignIn(target: string | undefined): string {
  const base = "http://here";
  if (target === undefined || !URL.canParse(target, base)) return START;
  const { origin, pathname, search } = new URL(target, base);
  return origin === base && isPage(pathname) ? pathname + search : START;
}

/** The sign-in page that leads back to an address of this service. */
export const signInAddress = (target: string) => `${SIGN_IN}?next=${encodeURIComponent(target)}`;
