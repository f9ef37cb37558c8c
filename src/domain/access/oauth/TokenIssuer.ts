import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { CurrentActor } from "../../../contract/actor.ts"
import { Deployment, PublicUrl } from "../../../platform/installation.ts"
import type { OAuthClient } from "./Clients.ts"
import { makeCodeExchange } from "./exchange/code-exchange.ts"
import { FailedSecretChecks } from "./FailedSecretChecks.ts"
import { makeTokenRenewal } from "./renewal/token-renewal.ts"
import type {
  CodeExchangeRequest,
  IssuedTokens,
  TokenIssuerContext,
  TokenRefreshRequest,
  TokenRequestError
} from "./token-requests.ts"
import { makeRevokeToken } from "./token-revocation.ts"

export type { CodeExchangeRequest, IssuedTokens, TokenRefreshRequest } from "./token-requests.ts"

export class TokenIssuer extends Context.Service<
  TokenIssuer,
  {
    readonly exchange: (request: CodeExchangeRequest) => Effect.Effect<IssuedTokens, TokenRequestError, CurrentActor>
    readonly renew: (request: TokenRefreshRequest) => Effect.Effect<IssuedTokens, TokenRequestError, CurrentActor>
    readonly revoke: (client: OAuthClient, token: string) => Effect.Effect<void, never, CurrentActor>
  }
>()("latchkey/domain/access/oauth/TokenIssuer") {
  static readonly layer = Layer.effect(
    TokenIssuer,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const context: TokenIssuerContext = { publicUrl: yield* PublicUrl, deployment: yield* Deployment }
      return TokenIssuer.of({
        exchange: makeCodeExchange(sql, yield* FailedSecretChecks, context),
        renew: makeTokenRenewal(sql, context),
        revoke: makeRevokeToken(sql)
      })
    })
  )
}
