import { createHash } from "node:crypto"

/**
 * The number of the reader of feeds. Raise it whenever the same bytes may come to other days than before: every calendar is
 * then read again at its next fetch. A digest without a number is of release 3.13 or earlier, which may still run beside this one.
 */
const FEED_READER = 2

const OF_THIS_READER = `${FEED_READER}:`

/**
 * Returns the digest by which a feed is known again. Lines of DTSTAMP are left out: they change no day, and many
 * marketplaces write the time of the request into them.
 */
export const digestOfFeed = (bytes: Buffer): string => {
  const lasting = bytes.toString("latin1").replace(/^DTSTAMP:\d{8}T\d{6}Z?\r?$/gim, "")
  return `${OF_THIS_READER}${createHash("sha256").update(lasting, "latin1").digest("base64")}`
}

/** Whether the feed of that digest was read by this reader. */
export const isOfThisReader = (digest: string | null): boolean => digest?.startsWith(OF_THIS_READER) ?? false
