import { Context, Effect, Layer } from "effect"
import { IdempotencyKeys } from "../../../../../src/changes/IdempotencyKeys.ts"
import { BadRequest, Unauthenticated } from "../../../../../src/contract/errors.ts"
import { ClientAuthentication } from "../../../../../src/domain/access/oauth/ClientAuthentication.ts"
import { ClientRegistrations } from "../../../../../src/domain/access/oauth/ClientRegistrations.ts"
import type { OAuthClient } from "../../../../../src/domain/access/oauth/Clients.ts"
import { FailedSecretChecks } from "../../../../../src/domain/access/oauth/FailedSecretChecks.ts"
import { layerOauth } from "../../../../../src/domain/access/oauth/handlers.ts"
import { Partners } from "../../../../../src/domain/access/oauth/Partners.ts"
import { type IssuedTokens, TokenIssuer } from "../../../../../src/domain/access/oauth/TokenIssuer.ts"
import { layerHandlers } from "../../../../../src/service/handlers.ts"
import { Service } from "../../../../../src/service/service.ts"
import { layerTest } from "../../../harness.ts"

// The service with something in the place of what gives tokens out: what is tested is how it is asked.

export const ISSUED_TOKENS: IssuedTokens = {
  accessToken: "lk_issued",
  refreshToken: "lkrefresh_issued",
  expiresIn: 604_800,
  scope: "writable"
}

/** What it was asked, in order. */
export class IssuerRequests extends Context.Service<
  IssuerRequests,
  Array<readonly [what: string, client: OAuthClient, given: object]>
>()("latchkey/test/oauth/Heard") {
  static readonly layer = Layer.sync(IssuerRequests, () => [])
}

const invalidGrantError = new Unauthenticated({ message: 'The "code" is no good.', oauthErrorCode: "invalid_grant" })
const invalidTargetError = new BadRequest({ message: "resource: is none of ours.", oauthErrorCode: "invalid_target" })

/** Takes the code and the refresh token `good`; one that is `broken` breaks it. */
const layerScriptedTokenIssuer = Layer.effect(
  TokenIssuer,
  Effect.map(IssuerRequests, (requests) => {
    const recordAndRespond = (
      method: string,
      { client, ...given }: { readonly client: OAuthClient; readonly resources: ReadonlyArray<string> },
      token: string
    ) =>
      Effect.suspend((): Effect.Effect<IssuedTokens, BadRequest | Unauthenticated> => {
        requests.push([method, client, given])
        if (token === "broken") return Effect.die(new Error("broken"))
        if (given.resources.includes("elsewhere")) return Effect.fail(invalidTargetError)
        return token === "good" ? Effect.succeed(ISSUED_TOKENS) : Effect.fail(invalidGrantError)
      })
    return TokenIssuer.of({
      exchange: (request) => recordAndRespond("exchange", request, request.code),
      renew: (request) => recordAndRespond("renew", request, request.refreshToken),
      revoke: (client, token) => Effect.sync(() => requests.push(["revoke", client, { token }]))
    })
  })
)

// Fresh, as the ones of the service that the others are of are there already.
const layerScriptedHandlers = Layer.merge(
  layerHandlers,
  Layer.fresh(layerOauth).pipe(
    Layer.provide([layerScriptedTokenIssuer, ClientAuthentication.layer, ClientRegistrations.layer]),
    Layer.provide(FailedSecretChecks.layer)
  )
)

/** The service over the database of the test run, with partners to be made. */
export const layerServiceWithScriptedIssuer = Layer.mergeAll(Layer.fresh(Service.layer), Partners.layer).pipe(
  Layer.provide(layerScriptedHandlers),
  Layer.provide(IdempotencyKeys.layer),
  Layer.provideMerge(Layer.merge(layerTest, IssuerRequests.layer))
)

/** A partner with an address nobody else has. */
export const createPartner = Effect.flatMap(Partners, (partners) =>
  Effect.orDie(partners.create({ name: "Ledger", redirect_uris: [`https://${crypto.randomUUID()}.example.com/back`] }))
)
