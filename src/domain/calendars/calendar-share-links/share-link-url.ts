import { randomAddressToken } from "../../../platform/random-text.ts"
import { UNREADABLE_URL } from "../../secret-urls.ts"

export const SHARED_CALENDAR_PREFIX = "/calendar/"

/** The prefix lets telemetry recognise and redact the token. */
export const newShareLinkToken = (): string => `lkcal_${randomAddressToken()}`

const SHARE_LINK_TOKEN_PATTERN = /^lkcal_[0-9a-z]{26}$/

export const isShareLinkToken = (text: string): boolean => SHARE_LINK_TOKEN_PATTERN.test(text)

export const isReadableShareLinkUrl = (url: string): boolean => url !== UNREADABLE_URL

export const shareLinkUrl = (publicUrl: string, token: string | undefined): string =>
  token === undefined ? UNREADABLE_URL : `${publicUrl}${SHARED_CALENDAR_PREFIX}${token}`
