import { hash } from "node:crypto"

/**
 * Raise this version when a new reader finds other days in the same bytes. Every calendar is then read again. Digests
 * of release 3.13.0 and earlier have no version.
 */
const READER_VERSION = 2

const DIGEST_PREFIX = `${READER_VERSION}:`

/** Ignores DTSTAMP lines, which change no day. Many marketplaces write the time of the request into them. */
export const digestOfFeed = (bytes: Buffer): string => {
  const stableText = bytes.toString("latin1").replace(/^DTSTAMP:\d{8}T\d{6}Z?\r?$/gim, "")
  return `${DIGEST_PREFIX}${hash("sha256", stableText, "base64")}`
}

export const hasCurrentReaderVersion = (digest: string | null): boolean => digest?.startsWith(DIGEST_PREFIX) ?? false
