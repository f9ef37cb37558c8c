import { randomBytes } from "node:crypto"
import { Context, DateTime, Effect, Layer, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { computeDigest } from "../../../admission/gate/credentials.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { makeDecoder } from "../../../contract/decoder.ts"
import { type BadRequest, Conflict, NotFound, ValidationFailed } from "../../../contract/errors.ts"
import { hasAtMostCharacters, MUST_NOT_BE_EMPTY } from "../../../contract/fields.ts"
import { formatUtcInstant } from "../../../contract/time.ts"
import { PublicClientEnabled } from "../../../platform/installation.ts"
import {
  CLIENT_NAME_LENGTH,
  GRANTS_REVOKED_AT_ONCE,
  OAUTH_CLIENTS_MAX,
  PARTNER_REDIRECTS_MAX
} from "../../../platform/limits.ts"
import { customAlphabet } from "../../../platform/random-text.ts"
import { PUBLIC_CLIENT_ID } from "./Clients.ts"
import { type PartnerRow, PartnerStore } from "./clients/PartnerStore.ts"
import { endGrantsOfClient } from "./grant-ending.ts"
import { validateRedirectUri } from "./redirect-uri.ts"

/** Characters that could make the displayed name look like another one. */
const INVISIBLE_CHARACTER = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

const checkPartnerName = (text: string): string | boolean => {
  if (text.trim() === "") return MUST_NOT_BE_EMPTY
  return INVISIBLE_CHARACTER.test(text)
    ? "must consist of visible characters"
    : hasAtMostCharacters(text, CLIENT_NAME_LENGTH)
}

const NewPartner = Schema.Struct({
  name: Schema.String.check(
    Schema.makeFilter(checkPartnerName, { expected: `at most ${CLIENT_NAME_LENGTH} characters` })
  ),
  redirect_uris: Schema.Array(Schema.String).check(
    Schema.isMinLength(1, { expected: "a list of at least one address" }),
    Schema.isMaxLength(PARTNER_REDIRECTS_MAX, { expected: `a list of at most ${PARTNER_REDIRECTS_MAX} addresses` })
  )
})
type NewPartner = typeof NewPartner.Type

const readNewPartner = makeDecoder(NewPartner)

/** The id is not secret, so telemetry shows it. */
const randomId = customAlphabet("0123456789abcdefghjkmnpqrstvwxyz", 20)
const newClientId = (): string => `app_${randomId()}`

/** Telemetry redacts text after this prefix. */
const newClientSecret = (): string => `lksecret_${randomBytes(32).toString("base64url")}`

export interface PartnerCredentials {
  readonly client_id: string
  readonly client_secret: string
}

export type PartnerListItem = Omit<PartnerRow, "created_at"> & { readonly created_at: string }

/** Manages OAuth clients for the administrator. Partners are the clients with a secret. */
export class Partners extends Context.Service<
  Partners,
  {
    readonly create: (input: NewPartner) => Effect.Effect<PartnerCredentials, BadRequest | ValidationFailed>
    readonly list: Effect.Effect<ReadonlyArray<PartnerListItem>>
    /** Also ends all connections of the client. If a crash interrupts the call, a second call ends the rest. */
    readonly disable: (
      id: string
    ) => Effect.Effect<
      { readonly client_id: string; readonly connections_ended: number },
      NotFound | Conflict,
      CurrentActor
    >
    /** The old secret stops working at once. */
    readonly rotateSecret: (id: string) => Effect.Effect<PartnerCredentials, NotFound | Conflict>
  }
>()("latchkey/domain/access/oauth/Partners") {
  static readonly layer = Layer.effect(
    Partners,
    Effect.gen(function* () {
      const [sql, store, hasPublicClient] = [
        yield* SqlClient.SqlClient,
        yield* PartnerStore,
        yield* PublicClientEnabled
      ]

      const create = Effect.fnUntraced(function* (input: NewPartner) {
        const { name, redirect_uris: redirectUris } = yield* readNewPartner(input)
        yield* Effect.fromResult(validateRedirectUris(redirectUris))
        const [id, secret] = [newClientId(), newClientSecret()]
        const now = yield* DateTime.nowAsDate
        const isCreated = yield* store.create({ id, name, redirectUris, digest: computeDigest(secret), now })
        return isCreated ? { client_id: id, client_secret: secret } : yield* clientLimitError
      })

      const list = Effect.map(store.list, (rows) =>
        rows.map((row) => ({
          ...row,
          disabled: row.client_id === PUBLIC_CLIENT_ID ? !hasPublicClient : row.disabled,
          created_at: formatUtcInstant(row.created_at)
        }))
      )

      const disable = Effect.fnUntraced(function* (id: string) {
        if (id === PUBLIC_CLIENT_ID) return yield* toPublicClientError("disabled")
        if (!(yield* store.disable(id, yield* DateTime.nowAsDate))) return yield* toPartnerNotFoundError(id)
        // A batch that is not full is the last, because a disabled client gets no new grants.
        for (let ended = 0; ; ) {
          const endedInBatch = yield* endGrantsOfClient(sql, id, GRANTS_REVOKED_AT_ONCE)
          ended += endedInBatch
          if (endedInBatch < GRANTS_REVOKED_AT_ONCE) return { client_id: id, connections_ended: ended }
        }
      })

      const rotateSecret = Effect.fnUntraced(function* (id: string) {
        if (id === PUBLIC_CLIENT_ID) return yield* toPublicClientError("rotated because it has no secret")
        const secret = newClientSecret()
        const isRotated = yield* store.rotateSecret(id, computeDigest(secret), yield* DateTime.nowAsDate)
        return isRotated ? { client_id: id, client_secret: secret } : yield* toEnabledPartnerNotFoundError(id)
      })

      return Partners.of({ create, list, disable, rotateSecret })
    })
  ).pipe(Layer.provide(PartnerStore.layer))
}

const validateRedirectUris = (uris: ReadonlyArray<string>): Result.Result<void, ValidationFailed> => {
  for (const [index, uri] of uris.entries()) {
    const result = validateRedirectUri(uri, "partner")
    if (Result.isFailure(result)) {
      return Result.fail(new ValidationFailed({ message: `redirect_uris[${index}]: ${result.failure}` }))
    }
  }
  return Result.void
}

const toPartnerNotFoundError = (id: string) =>
  new NotFound({ message: `There is no client ${JSON.stringify(id.slice(0, CLIENT_NAME_LENGTH))}.` })
const toEnabledPartnerNotFoundError = (id: string) =>
  new NotFound({
    message: `There is no client ${JSON.stringify(id.slice(0, CLIENT_NAME_LENGTH))}, or it was disabled.`
  })

const clientLimitError = new ValidationFailed({
  message: `A deployment has at most ${OAUTH_CLIENTS_MAX} clients, disabled ones included, and all are in use.`
})

const toPublicClientError = (action: string) =>
  new Conflict({ message: `${PUBLIC_CLIENT_ID} cannot be ${action}. Set PUBLIC_CLIENT=0 to disable it.` })
