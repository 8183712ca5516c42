/** Something that the person at the terminal can understand and act upon; shown without a stack. */
export class CommandFailure extends Error {
  override readonly name: string = "CommandFailure";
}
