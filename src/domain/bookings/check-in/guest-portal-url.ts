export const GUEST_PORTAL_PREFIX = "/guests/"

const GUEST_PORTAL_TOKEN_PATTERN = /^lkguest_[0-9a-f]{32}$/

/** Checks only the format (migrations/0042_guest_pages.ts), so that a malformed token costs no query. */
export const isGuestPortalToken = (text: string): boolean => GUEST_PORTAL_TOKEN_PATTERN.test(text)

export const guestPortalUrl = (publicUrl: string, token: string | null): string =>
  token === null ? "" : `${publicUrl}${GUEST_PORTAL_PREFIX}${token}`
