import { Result } from "effect"
import type { ValidationFailed } from "../../contract/errors.ts"
import { type ReceiverPolicy, receiverUrl } from "../../deliveries/receiver-url.ts"

// The addresses calendars may be fetched from: those that webhooks may go to. They are secrets: whoever has one reads the
// calendar. So beside the database nothing has more of them than the host.

/** An address in the form it is kept. `webcal` is what calendar programs call https. */
export const calendarUrl = (text: string, policy: ReceiverPolicy): Result.Result<string, ValidationFailed> =>
  Result.map(receiverUrl(text.trim().replace(/^webcals?:\/\//i, "https://"), policy), withoutFragment)

const withoutFragment = (href: string): string => href.replace(/#.*$/s, "")

/** Where a redirect leads; fails as {@link calendarUrl} does. */
export const redirectedTo = (
  location: string,
  from: string,
  policy: ReceiverPolicy
): Result.Result<string, ValidationFailed> => calendarUrl(URL.parse(location, from)?.href ?? location, policy)

/** What people are told of where a calendar is. */
export const hostOf = (url: string): string => URL.parse(url)?.hostname ?? ""
