import { randomAddressToken } from "../../../platform/random-text.ts"
import { UNREADABLE_URL } from "../../secret-urls.ts"

/** Below which path shared calendars are served. */
export const SHARED_CALENDAR_PREFIX = "/calendar/"

/** A new token. Its prefix lets telemetry recognise it wherever it lands. */
export const newShareLinkToken = (): string => `lkcal_${randomAddressToken()}`

const SHARE_LINK_TOKEN_PATTERN = /^lkcal_[0-9a-z]{26}$/

/** Whether the text can be a token at all; anything else needs no look into the database. */
export const isShareLinkToken = (text: string): boolean => SHARE_LINK_TOKEN_PATTERN.test(text)

/** Whether an address is one, and not the words for one that does not open. */
export const isReadableShareLinkUrl = (url: string): boolean => url !== UNREADABLE_URL

/** The address under which a token opens its calendar; of one that does not open itself, that this is so. */
export const shareLinkUrl = (publicUrl: string, token: string | undefined): string =>
  token === undefined ? UNREADABLE_URL : `${publicUrl}${SHARED_CALENDAR_PREFIX}${token}`
