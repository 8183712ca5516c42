/** The bucket of pushed files and extracted texts. */
export type FileStore = R2Bucket & {
  /**
   * Stores an object of `size` bytes part by part. However long it is and however slowly the parts
   * come: it fails when the bucket takes nothing for some seconds.
   */
  putParts(
    key: string,
    size: number,
    parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    options?: R2PutOptions,
  ): Promise<void>;
};
