import type { LookupAddress } from "node:dns"
import { isIP, type LookupFunction } from "node:net"
import { Array as Arr, Cause, type Context, Data, Effect, Exit, Option } from "effect"
import { AddressResolver, NameNotResolved } from "./AddressResolver.ts"
import { type AllowedHosts, allowsHost } from "./allowed-hosts.ts"
import { findForbiddenReason } from "./forbidden-addresses.ts"

export class RefusedAddress extends Data.TaggedError("RefusedAddress")<{ readonly detail: string }> {}

/** Fails when a URL's host is written as an address deliveries may not go to: sockets never ask a look-up for those. */
export const checkLiteralAddress = (host: string, allowedHosts: AllowedHosts): Effect.Effect<void, RefusedAddress> => {
  const address = host.replace(/^\[(.*)\]$/, "$1")
  if (isIP(address) === 0) return Effect.void
  return Option.match(findForbiddenReason(address, allowedHosts), {
    onNone: () => Effect.void,
    onSome: (kind) => Effect.fail(new RefusedAddress({ detail: `${address} is ${kind}` }))
  })
}

/**
 * The addresses of a name, all of them permitted. One forbidden address among them refuses the name: an honest
 * receiver has none, and a socket that may choose would sooner or later choose it.
 */
const resolvePublicAddresses = Effect.fnUntraced(function* (host: string, allowedHosts: AllowedHosts) {
  const resolver = yield* AddressResolver
  const addresses = yield* resolver.resolve(host)
  if (!Arr.isReadonlyArrayNonEmpty(addresses)) return yield* new NameNotResolved({ detail: `${host} has no address` })
  if (!allowsHost(allowedHosts, host)) {
    for (const address of addresses) {
      // The detail omits the address and its kind, because both would reveal what names in our own network resolve to.
      if (Option.isSome(findForbiddenReason(address, allowedHosts))) {
        return yield* new RefusedAddress({ detail: `${host} resolves to an address that is not public` })
      }
    }
  }
  return Arr.map(addresses, (address): LookupAddress => ({ address, family: isIP(address) }))
})

/**
 * The look-up a socket makes when it connects. What it answers is what the socket connects to, and nobody asks a second
 * time: a name that answers differently between a check and a connection gains nothing.
 */
export const makeCheckedLookup =
  (context: Context.Context<AddressResolver>, allowedHosts: AllowedHosts): LookupFunction =>
  (host, options, callback) => {
    Effect.runCallbackWith(context)(resolvePublicAddresses(host, allowedHosts), {
      onExit: Exit.match({
        onFailure: (cause) => {
          const error = Cause.squash(cause)
          callback(error instanceof Error ? error : new NameNotResolved({ detail: String(error) }), "")
        },
        onSuccess: (addresses) =>
          options.all === true ? callback(null, addresses) : callback(null, addresses[0].address, addresses[0].family)
      })
    })
  }
