import { createContext, useContext, type Child } from "hono/jsx";

/** Every component may ask this of the page that shows it. */
type View = {
  /** The time of the request, ms. */
  now: number;
  /** Whether changes are offered: a member sees everything and is offered nothing to change. */
  mayChange: boolean;
};

export const View = createContext<View>({ now: 0, mayChange: false });

export const useView = (): View => useContext(View);

/** Shown to administrators alone. What is shown permits nothing: each change asks who sends it. */
export const ForAdmins = ({ children }: { children?: Child }) =>
  useView().mayChange ? <>{children}</> : null;
