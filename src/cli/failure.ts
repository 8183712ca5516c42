/** A failure that a user can understand and act on; printed without a stack. */
export class CommandFailure extends Error {
  override readonly name: string = "CommandFailure";
}
