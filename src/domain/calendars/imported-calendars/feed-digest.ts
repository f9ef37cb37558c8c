import { hash } from "node:crypto"

/**
 * Version of the reader. Raise it when the same bytes can give other days: every calendar is then read again at its next
 * fetch. Release 3.13.0 and earlier write digests without a version, and may still run beside this one.
 */
const READER_VERSION = 2

const DIGEST_PREFIX = `${READER_VERSION}:`

/**
 * Returns a digest that identifies the contents of a feed. It ignores DTSTAMP lines: they change no day, and many marketplaces
 * write the time of the request into them.
 */
export const digestOfFeed = (bytes: Buffer): string => {
  const stableText = bytes.toString("latin1").replace(/^DTSTAMP:\d{8}T\d{6}Z?\r?$/gim, "")
  return `${DIGEST_PREFIX}${hash("sha256", stableText, "base64")}`
}

/** Returns whether this version of the reader read the feed with that digest. */
export const hasCurrentReaderVersion = (digest: string | null): boolean => digest?.startsWith(DIGEST_PREFIX) ?? false
