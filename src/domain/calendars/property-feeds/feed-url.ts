import { randomAddressToken } from "../../../platform/random-text.ts"
import { UNREADABLE_URL } from "../../secret-urls.ts"

export const FEEDS_PREFIX = "/feeds/"

/** Marketplaces accept no other ending. */
export const FEED_SUFFIX = ".ics"

/** The prefix lets telemetry recognise and redact the token. */
export const newFeedToken = (): string => `lkfeed_${randomAddressToken()}`

const FEED_TOKEN_PATTERN = /^lkfeed_[0-9a-z]{26}$/

export const isFeedToken = (text: string): boolean => FEED_TOKEN_PATTERN.test(text)

export const toFeedUrl = (publicUrl: string, token: string | undefined): string =>
  token === undefined ? UNREADABLE_URL : `${publicUrl}${FEEDS_PREFIX}${token}${FEED_SUFFIX}`
