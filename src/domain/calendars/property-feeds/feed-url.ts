import { randomAddressToken } from "../../../platform/random-text.ts"
import { UNREADABLE_URL } from "../../secret-urls.ts"

/** Below which path the feeds of properties are served. */
export const FEEDS_PREFIX = "/feeds/"

/** What the address of a feed ends with: marketplaces take no other. */
export const FEED_SUFFIX = ".ics"

/** A new token. Its prefix lets telemetry recognise it wherever it lands. */
export const newFeedToken = (): string => `lkfeed_${randomAddressToken()}`

const FEED_TOKEN_PATTERN = /^lkfeed_[0-9a-z]{26}$/

/** Whether the text can be a token at all; anything else needs no look into the database. */
export const isFeedToken = (text: string): boolean => FEED_TOKEN_PATTERN.test(text)

/** The address at which the feed of a token is read; of one that does not open, that this is so. */
export const toFeedUrl = (publicUrl: string, token: string | undefined): string =>
  token === undefined ? UNREADABLE_URL : `${publicUrl}${FEEDS_PREFIX}${token}${FEED_SUFFIX}`
