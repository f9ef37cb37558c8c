import { Effect, Result } from "effect"
import {
  type Asked,
  askedOf,
  askerOf,
  type NoAsker,
  type Refusal,
  stateOf
} from "../../../domain/access/oauth/authorization-request.ts"
import { type Client, Clients } from "../../../domain/access/oauth/Clients.ts"
import { type Place, placeOf } from "../../../domain/access/oauth/redirect.ts"
import { WAITING_REQUEST } from "../../../platform/limits.ts"
import { SIGN_IN_PATH } from "../frame.ts"
import type { Visit } from "../visit.ts"

/** Where applications send a host's browser (contract facts 11.3). */
export const AUTHORIZATION_PATH = "/authorization"

/** Who asks, and where the host is led back to. */
export interface Leading {
  readonly client: Client
  readonly redirectUri: string
  readonly place: Place
  readonly state: string | undefined
}

export type Read =
  /** It is not known who asks, or not whether the browser may be led there: nobody is led anywhere. */
  | { readonly _tag: "Wrong"; readonly wrong: NoAsker | "unknown client" | "no address" | "wrong address" | "too long" }
  | { readonly _tag: "Refused"; readonly leading: Leading; readonly refusal: Refusal }
  | { readonly _tag: "Asked"; readonly leading: Leading; readonly asked: Asked }

/** The request's own address: written anew, so that no sign of it is lost where addresses are checked. */
export const addressOf = ({ query }: Pick<Visit, "query">): string => `${AUTHORIZATION_PATH}?${query.toString()}`

/** Where to sign in, and to come back from. */
export const signInFor = (visit: Pick<Visit, "query">): string =>
  `${SIGN_IN_PATH}?${new URLSearchParams({ next: addressOf(visit) }).toString()}`

/** Where a client is led that does not say it: to the one address that it has. */
const onlyAddress = ({ isPublic, redirectUris }: Client): string | undefined =>
  isPublic || redirectUris.length !== 1 ? undefined : redirectUris[0]

const wrongly = (wrong: Extract<Read, { _tag: "Wrong" }>["wrong"]): Read => ({ _tag: "Wrong", wrong })

/** Reads what is asked, in full, each time it is looked at or answered. */
export const makeReading = Effect.fnUntraced(function* (publicUrl: string) {
  const clients = yield* Clients
  return Effect.fnUntraced(function* (visit: Visit) {
    if (signInFor(visit).length > WAITING_REQUEST) return wrongly("too long")
    const asker = askerOf(visit.query)
    if (Result.isFailure(asker)) return wrongly(asker.failure)
    const client = yield* clients.find(asker.success.clientId)
    if (client === undefined) return wrongly("unknown client")
    const redirectUri = asker.success.redirectUri ?? onlyAddress(client)
    if (redirectUri === undefined) return wrongly("no address")
    const place = placeOf(redirectUri)
    if (place === undefined || !(yield* clients.mayBeLedTo(client, redirectUri))) return wrongly("wrong address")
    const leading: Leading = {
      client,
      redirectUri,
      place,
      state: stateOf(visit.query)
    }
    return Result.match(askedOf(visit.query, client, publicUrl), {
      onFailure: (refusal): Read => ({ _tag: "Refused", leading, refusal }),
      onSuccess: (asked): Read => ({ _tag: "Asked", leading, asked })
    })
  })
})
