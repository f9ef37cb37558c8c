import type { LookupAddress } from "node:dns"
import { isIP, type LookupFunction } from "node:net"
import { Array as Arr, Cause, type Context, Data, Effect, Exit, Option } from "effect"
import { AddressResolver, NameNotResolved } from "./AddressResolver.ts"
import { type AllowedHosts, allowsHost } from "./allowed-hosts.ts"
import { findForbiddenReason } from "./forbidden-addresses.ts"

export class RefusedAddress extends Data.TaggedError("RefusedAddress")<{ readonly detail: string }> {}

/** For literal addresses, because sockets make no look-up for them. */
export const checkLiteralAddress = (host: string, allowedHosts: AllowedHosts): Effect.Effect<void, RefusedAddress> => {
  const address = host.replace(/^\[(.*)\]$/, "$1")
  if (isIP(address) === 0) return Effect.void
  return Option.match(findForbiddenReason(address, allowedHosts), {
    onNone: () => Effect.void,
    onSome: (kind) => Effect.fail(new RefusedAddress({ detail: `${address} is ${kind}` }))
  })
}

/** One forbidden address rejects the name, because the socket may choose it. */
const resolvePublicAddresses = Effect.fnUntraced(function* (host: string, allowedHosts: AllowedHosts) {
  const resolver = yield* AddressResolver
  const addresses = yield* resolver.resolve(host)
  if (!Arr.isReadonlyArrayNonEmpty(addresses)) return yield* new NameNotResolved({ detail: `${host} has no address` })
  if (!allowsHost(allowedHosts, host)) {
    for (const address of addresses) {
      // The detail omits the address, which would reveal what names in our own network resolve to.
      if (Option.isSome(findForbiddenReason(address, allowedHosts))) {
        return yield* new RefusedAddress({ detail: `${host} resolves to an address that is not public` })
      }
    }
  }
  return Arr.map(addresses, (address): LookupAddress => ({ address, family: isIP(address) }))
})

/** The socket connects to exactly the addresses checked here, which prevents DNS rebinding. */
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
