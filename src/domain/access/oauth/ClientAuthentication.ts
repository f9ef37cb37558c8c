import { Context, Effect, Layer } from "effect"
import { computeDigest, isSameDigest } from "../../../admission/gate/credentials.ts"
import { type RateLimited, Unauthenticated } from "../../../contract/errors.ts"
import { Clients, type OAuthClient, PUBLIC_CLIENT_ID } from "./Clients.ts"
import { ClientStore } from "./clients/ClientStore.ts"
import { FailedSecretChecks } from "./FailedSecretChecks.ts"

interface ClientCredentials {
  readonly id: string | undefined
  readonly secret: string | undefined
}

/**
 * The secret sent for an unknown client is compared with this digest, so that the check takes as long as for a known
 * client.
 */
const UNKNOWN_CLIENT = { digest: computeDigest(""), counterKey: "" }

export class ClientAuthentication extends Context.Service<
  ClientAuthentication,
  {
    /** The public client passes without a secret. It must later present the PKCE verifier. */
    readonly authenticate: (credentials: ClientCredentials) => Effect.Effect<OAuthClient, Unauthenticated | RateLimited>
  }
>()("latchkey/domain/access/oauth/ClientAuthentication") {
  static readonly layer = Layer.effect(
    ClientAuthentication,
    Effect.gen(function* () {
      const [clients, store, failedSecretChecks] = [yield* Clients, yield* ClientStore, yield* FailedSecretChecks]

      const authenticatePartner = Effect.fnUntraced(function* (id: string, secret: string) {
        const partner = yield* store.findPartner(id)
        const isSameSecret = isSameDigest(computeDigest(secret), partner?.secretDigest ?? UNKNOWN_CLIENT.digest)
        const isAuthenticated = partner !== undefined && isSameSecret
        // Attempts with an unknown client_id are not counted, because made-up ids would fill the memory.
        yield* failedSecretChecks.recordResult(
          partner === undefined ? UNKNOWN_CLIENT.counterKey : id,
          isAuthenticated || partner === undefined
        )
        if (!isAuthenticated) return yield* wrongCredentialsError
        return { id, name: partner.name, redirectUris: partner.redirectUris, isPublic: false }
      })

      const authenticate = ({
        id,
        secret
      }: ClientCredentials): Effect.Effect<OAuthClient, Unauthenticated | RateLimited> => {
        if (id === undefined) return Effect.fail(toMissingFieldError("client_id"))
        if (id !== PUBLIC_CLIENT_ID)
          return secret === undefined
            ? Effect.fail(toMissingFieldError("client_secret"))
            : authenticatePartner(id, secret)
        if (secret !== undefined) return Effect.fail(unexpectedSecret)
        return Effect.flatMap(clients.find(id), (client) =>
          client === undefined ? Effect.fail(wrongCredentialsError) : Effect.succeed(client)
        )
      }

      return { authenticate }
    })
  ).pipe(Layer.provide([Clients.layer, ClientStore.layer]))
}

const toInvalidClientError = (message: string) => new Unauthenticated({ message, oauthErrorCode: "invalid_client" })

const wrongCredentialsError = toInvalidClientError("client_id or client_secret is wrong, or the client was disabled.")
const toMissingFieldError = (field: string) => toInvalidClientError(`${field}: is required.`)
const unexpectedSecret = toInvalidClientError(`client_secret: ${PUBLIC_CLIENT_ID} has none; leave it out.`)
