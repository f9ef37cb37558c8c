import { hash } from "node:crypto"
import { Result } from "effect"
import { ValidationFailed } from "../../../contract/errors.ts"
import { parseReceiverUrl, type ReceiverPolicy } from "../../webhooks/deliveries/receiver-url.ts"
import { SHARED_CALENDAR_PREFIX } from "../calendar-share-links/share-link-url.ts"
import { FEEDS_PREFIX } from "../property-feeds/feed-url.ts"

// The addresses calendars may be fetched from: those that webhooks may go to. They are secrets: whoever has one reads the
// calendar. So beside the database nothing has more of them than the host.

/** An address in the form it is kept. `webcal` is what calendar programs call https. */
export const parseCalendarUrl = (text: string, policy: ReceiverPolicy): Result.Result<string, ValidationFailed> =>
  Result.map(parseReceiverUrl(text.trim().replace(/^webcals?:\/\//i, "https://"), policy), withoutFragment)

const withoutFragment = (href: string): string => href.replace(/#.*$/s, "")

const ownServiceUrlError = new ValidationFailed({
  message: "url: must not be a feed of this service, which would keep its days blocked for ever."
})

const decodePath = (path: string): string =>
  Result.getOrElse(
    Result.try(() => decodeURIComponent(path)),
    () => path
  )

/** Whether feeds or shared calendars of this service are served there. */
const isServedHere = (href: string, { publicUrl }: ReceiverPolicy): boolean => {
  const url = URL.parse(href)
  if (url === null || url.protocol !== publicUrl.protocol || url.port !== publicUrl.port) return false
  if (url.hostname.replace(/\.$/, "") !== publicUrl.hostname.replace(/\.$/, "")) return false
  const base = publicUrl.pathname.replace(/\/$/, "")
  return [FEEDS_PREFIX, SHARED_CALENDAR_PREFIX].some((prefix) =>
    decodePath(url.pathname).startsWith(`${base}${prefix}`)
  )
}

/** Where a redirect leads; fails as {@link parseCalendarUrl} does, and where it leads back here. */
export const resolveRedirect = (
  location: string,
  from: string,
  policy: ReceiverPolicy
): Result.Result<string, ValidationFailed> =>
  Result.flatMap(parseCalendarUrl(URL.parse(location, from)?.href ?? location, policy), (href) =>
    isServedHere(href, policy) ? Result.fail(ownServiceUrlError) : Result.succeed(href)
  )

/** The SHA-256 of an address, by which it is known again: its own column may be sealed. */
export const digestOfUrl = (url: string): Uint8Array => hash("sha256", url, "buffer")

/** Digests of what may be tokens of feeds and shared calendars of this service in an address, in hexadecimal. */
export const tokenDigestsIn = (url: string): ReadonlyArray<string> =>
  Array.from(url.matchAll(/(lkfeed|lkcal)_[0-9a-z]{26}/g), ([token]) => hash("sha256", token, "hex"))

/** What people are told of where a calendar is. */
export const hostOf = (url: string): string => URL.parse(url)?.hostname ?? ""

/** Characters of the end of a secret address that tell a host which it is. */
const URL_ENDING_CHARS = 4

/** What people are told of the address itself: how it ends. */
export const urlEndingOf = (url: string): string => url.slice(-URL_ENDING_CHARS)
