/** Below which path the pages of stays for their guests are. */
export const GUEST_PORTAL_PREFIX = "/guests/"

const GUEST_PORTAL_TOKEN_PATTERN = /^lkguest_[0-9a-f]{32}$/

/** Whether the text can be a token at all (migrations/0042_guest_pages.ts); anything else needs no look into the database. */
export const isGuestPortalToken = (text: string): boolean => GUEST_PORTAL_TOKEN_PATTERN.test(text)

/** The address of a stay's page under `publicUrl`; empty for a stay that has no token yet. */
export const guestPortalUrl = (publicUrl: string, token: string | null): string =>
  token === null ? "" : `${publicUrl}${GUEST_PORTAL_PREFIX}${token}`
