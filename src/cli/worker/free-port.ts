import { createServer } from "node:net";

import { CommandFailure } from "../failure.ts";

const LOOPBACK = "127.0.0.1";

/** @throws CommandFailure when something else listens on the port. */
export async function checkPortIsFree(port: number): Promise<void> {
  if (await canListen(port, LOOPBACK)) return;
  throw new CommandFailure(
    `Port ${port} is taken by another program, perhaps by a Quarry that still runs. ` +
      "End that program, or choose another port with --port.",
  );
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((answer) => {
    const server = createServer();
    server.once("error", () => answer(false));
    server.listen(port, host, () => server.close(() => answer(true)));
  });
}
