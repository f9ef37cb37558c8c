import { hash } from "node:crypto"

/** Raise this version when a new reader finds other days in the same feed, so that every calendar is read again. */
const READER_VERSION = 2

const DIGEST_PREFIX = `${READER_VERSION}:`

/** Ignores DTSTAMP lines, because many marketplaces write the time of the request into them. */
export const digestOfFeed = (bytes: Buffer): string => {
  const stableText = bytes.toString("latin1").replace(/^DTSTAMP:\d{8}T\d{6}Z?\r?$/gim, "")
  return `${DIGEST_PREFIX}${hash("sha256", stableText, "base64")}`
}

export const hasCurrentReaderVersion = (digest: string | null): boolean => digest?.startsWith(DIGEST_PREFIX) ?? false
