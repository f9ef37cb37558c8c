import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Acting } from "../../../contract/acting.ts"
import { Deployment, PublicUrl } from "../../../platform/installation.ts"
import type { Client } from "./Clients.ts"
import { exchange } from "./exchange/exchange.ts"
import { FailedChecks } from "./FailedChecks.ts"
import type { GivenCode, GivenRefreshToken, Issued, Place, Refusal } from "./issued.ts"
import { renewal } from "./renewal/renewal.ts"
import { revocation } from "./revocation.ts"

export type { GivenCode, GivenRefreshToken, Issued } from "./issued.ts"

/** Gives out access tokens and ends them (RFC 6749 4.1.3 and 6, RFC 7009). */
export class Issuing extends Context.Service<
  Issuing,
  {
    readonly exchange: (given: GivenCode) => Effect.Effect<Issued, Refusal, Acting>
    readonly renew: (given: GivenRefreshToken) => Effect.Effect<Issued, Refusal, Acting>
    /** Ends the grant of an access or a refresh token of this client; a token that is none, or another's, changes nothing. */
    readonly revoke: (client: Client, token: string) => Effect.Effect<void, never, Acting>
  }
>()("latchkey/oauth/Issuing") {
  static readonly layer = Layer.effect(
    Issuing,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const place: Place = { publicUrl: yield* PublicUrl, deployment: yield* Deployment }
      return Issuing.of({
        exchange: exchange(sql, yield* FailedChecks, place),
        renew: renewal(sql, place),
        revoke: revocation(sql)
      })
    })
  )
}
