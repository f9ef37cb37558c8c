import { hash } from "node:crypto"
import { Result } from "effect"
import { ValidationFailed } from "../../../contract/errors.ts"
import { parseReceiverUrl, type ReceiverPolicy } from "../../webhooks/deliveries/receiver-url.ts"
import { SHARED_CALENDAR_PREFIX } from "../calendar-share-links/share-link-url.ts"
import { FEEDS_PREFIX } from "../property-feeds/feed-url.ts"

// Calendar URLs are secrets, so logs and error messages contain only their host name.

/** Reads `webcal` as https, as calendar programs do. */
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

const isServedHere = (href: string, { publicUrl }: ReceiverPolicy): boolean => {
  const url = URL.parse(href)
  if (url === null || url.protocol !== publicUrl.protocol || url.port !== publicUrl.port) return false
  if (url.hostname.replace(/\.$/, "") !== publicUrl.hostname.replace(/\.$/, "")) return false
  const base = publicUrl.pathname.replace(/\/$/, "")
  return [FEEDS_PREFIX, SHARED_CALENDAR_PREFIX].some((prefix) =>
    decodePath(url.pathname).startsWith(`${base}${prefix}`)
  )
}

/** Also fails if the target is a feed of this service. */
export const resolveRedirect = (
  location: string,
  from: string,
  policy: ReceiverPolicy
): Result.Result<string, ValidationFailed> =>
  Result.flatMap(parseCalendarUrl(URL.parse(location, from)?.href ?? location, policy), (href) =>
    isServedHere(href, policy) ? Result.fail(ownServiceUrlError) : Result.succeed(href)
  )

/** The column `url` is encrypted, so a calendar is found by this digest. */
export const digestOfUrl = (url: string): Uint8Array => hash("sha256", url, "buffer")

export const tokenDigestsIn = (url: string): ReadonlyArray<string> =>
  Array.from(url.matchAll(/(lkfeed|lkcal)_[0-9a-z]{26}/g), ([token]) => hash("sha256", token, "hex"))

export const hostOf = (url: string): string => URL.parse(url)?.hostname ?? ""

const URL_ENDING_CHARS = 4

export const urlEndingOf = (url: string): string => url.slice(-URL_ENDING_CHARS)
