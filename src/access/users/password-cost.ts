/** N of scrypt (RFC 7914): with r = 8, 128 · N · r = 16 MiB a run. */
export const COST = 16_384;
