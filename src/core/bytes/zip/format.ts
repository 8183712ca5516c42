/**
 * The parts of PKWARE's APPNOTE 6.3.10 that are read and written, with ZIP64 for offsets above
 * 4 GiB and more than 65,535 entries.
 * https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 */
export const LOCAL = { signature: 0x04034b50, bytes: 30 };
export const CENTRAL = { signature: 0x02014b50, bytes: 46 };
export const END = { signature: 0x06054b50, bytes: 22 };
export const LOCATOR = { signature: 0x07064b50, bytes: 20 };
export const END64 = { signature: 0x06064b50, bytes: 56 };
export const EXTRA64 = 1;
/** In place of a figure that a field of eight bytes holds. */
export const [ELSEWHERE, ELSEWHERE_SHORT] = [0xffff_ffff, 0xffff];
export const [FLAG_ENCRYPTED, FLAG_UTF8] = [1, 0x800];
export const MAX_COMMENT_BYTES = 0xffff;
/** The last file of an archive: it names the SHA-256 of every other one. */
export const MANIFEST = "manifest.json";
