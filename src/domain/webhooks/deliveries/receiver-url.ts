import { Effect, Option, Result } from "effect"
import { NetAddress } from "effect/net"
import { ValidationFailed } from "../../../contract/errors.ts"
import { PublicUrl } from "../../../platform/installation.ts"
import { WEBHOOK_URL_LENGTH } from "../../../platform/limits.ts"
import { type AllowedHosts, AllowedReceivers, allowsHost, parseLiteralAddress } from "./allowed-hosts.ts"
import { findForbiddenKind } from "./forbidden-addresses.ts"

export interface ReceiverPolicy {
  readonly allowedHosts: AllowedHosts
  readonly publicUrl: URL
}

export const loadReceiverPolicy = Effect.gen(function* () {
  return { allowedHosts: yield* AllowedReceivers, publicUrl: new URL(yield* PublicUrl) } satisfies ReceiverPolicy
})

const isLoopbackHost = (host: string): boolean =>
  Result.match(parseLiteralAddress(host), {
    onFailure: () => /(^|\.)localhost\.?$/i.test(host),
    onSuccess: (address) => NetAddress.isLoopback(address)
  })

/** Checks only the text of the host. The addresses of a name are checked when it is resolved. */
const findForbiddenHostReason = (host: string): Option.Option<string> =>
  Result.match(parseLiteralAddress(host), {
    onFailure: () => (isLoopbackHost(host) ? Option.some("a loopback address") : Option.none()),
    onSuccess: findForbiddenKind
  })

const failInvalidUrl = (rule: string) => Result.fail(new ValidationFailed({ message: `url: ${rule}.` }))

/**
 * Returns the normalized URL. Plain http is allowed only to an allow-listed loopback host, while this service itself
 * runs on plain http and loopback.
 */
export const parseReceiverUrl = (text: string, policy: ReceiverPolicy): Result.Result<string, ValidationFailed> => {
  if (text.length > WEBHOOK_URL_LENGTH) return failInvalidUrl(`must be at most ${WEBHOOK_URL_LENGTH} characters`)
  // The parser would also accept "https:host", backslashes and line breaks.
  const url = /^https?:\/\/[^\s\\]+$/i.test(text) ? URL.parse(text) : null
  if (url === null) return failInvalidUrl("must be an absolute https address such as https://example.com/path")
  if (url.href.length > WEBHOOK_URL_LENGTH)
    return failInvalidUrl(`must be at most ${WEBHOOK_URL_LENGTH} characters once encoded`)
  if (url.username !== "" || url.password !== "") return failInvalidUrl("must not contain a user name or a password")
  const isAllowed = allowsHost(policy.allowedHosts, url.hostname)
  if (url.protocol === "http:") {
    const isLocal = policy.publicUrl.protocol === "http:" && isLoopbackHost(policy.publicUrl.hostname)
    if (!(isLocal && isAllowed && isLoopbackHost(url.hostname))) return failInvalidUrl("must begin with https://")
  }
  const forbiddenReason = isAllowed ? Option.none() : findForbiddenHostReason(url.hostname)
  return Option.isSome(forbiddenReason)
    ? failInvalidUrl(`must not point at ${forbiddenReason.value}`)
    : Result.succeed(url.href)
}
