import { Context, Effect, Layer } from "effect"
import { digestOf, sameDigest } from "../../../admission/gate/credentials.ts"
import { type RateLimited, Unauthenticated } from "../../../contract/errors.ts"
import { type Client, Clients, PUBLIC_CLIENT_ID } from "./Clients.ts"
import { ClientStore } from "./clients/store.ts"
import { FailedChecks } from "./FailedChecks.ts"

/** As whom a client calls (RFC 6749 2.3). What is undefined was not sent. */
export interface GivenClient {
  readonly id: string | undefined
  readonly secret: string | undefined
}

/** Who is unknown is compared with this, and counted under no name: it takes as long as a wrong secret and fills no memory. */
const NOBODY = { digest: digestOf(""), checked: "" }

/** Tells who calls, before anything is given out. */
export class ClientAuthentication extends Context.Service<
  ClientAuthentication,
  {
    /**
     * The client that the call proves to be. A partner does so by its secret; the public client has none, and proves by a verifier
     * later that it is the one that asked.
     */
    readonly authenticate: (given: GivenClient) => Effect.Effect<Client, Unauthenticated | RateLimited>
  }
>()("latchkey/oauth/ClientAuthentication") {
  static readonly layer = Layer.effect(
    ClientAuthentication,
    Effect.gen(function* () {
      const [clients, store, checks] = [yield* Clients, yield* ClientStore, yield* FailedChecks]

      const partner = Effect.fnUntraced(function* (id: string, secret: string) {
        const found = yield* store.partner(id)
        const isSame = sameDigest(digestOf(secret), found?.secretDigest ?? NOBODY.digest)
        const isRight = found !== undefined && isSame
        // A secret of nobody is looked at and not counted.
        yield* checks.told(found === undefined ? NOBODY.checked : id, isRight || found === undefined)
        if (!isRight) return yield* wrong
        return { id, name: found.name, redirectUris: found.redirectUris, isPublic: false }
      })

      const authenticate = ({ id, secret }: GivenClient): Effect.Effect<Client, Unauthenticated | RateLimited> => {
        if (id === undefined) return Effect.fail(missing("client_id"))
        if (id !== PUBLIC_CLIENT_ID)
          return secret === undefined ? Effect.fail(missing("client_secret")) : partner(id, secret)
        if (secret !== undefined) return Effect.fail(noSecret)
        return Effect.flatMap(clients.find(id), (found) =>
          found === undefined ? Effect.fail(wrong) : Effect.succeed(found)
        )
      }

      return { authenticate }
    })
  ).pipe(Layer.provide([Clients.layer, ClientStore.layer]))
}

const invalidClient = (message: string) => new Unauthenticated({ message, oauth: "invalid_client" })

/** One wording, whether or not there is such a client. */
const wrong = invalidClient("client_id or client_secret is wrong, or the client was disabled.")
const missing = (field: string) => invalidClient(`${field}: is required.`)
const noSecret = invalidClient(`client_secret: ${PUBLIC_CLIENT_ID} has none; leave it out.`)
