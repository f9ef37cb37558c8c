import { Context, DateTime, Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { CurrentActor } from "../../contract/actor.ts"
import { makeDecoder } from "../../contract/decoder.ts"
import { type BadRequest, Conflict, NotFound, ValidationFailed } from "../../contract/errors.ts"
import { hasAtMostCharacters, MUST_NOT_BE_EMPTY } from "../../contract/fields.ts"
import { formatUtcInstant } from "../../contract/time.ts"
import { layerAccountsWithPrices } from "../../domain/calendars/base-prices/missed-price-pushes.ts"
import type { NewChannelAccount } from "../../domain/channels/channel-accounts/account-statements.ts"
import { ChannelAccounts } from "../../domain/channels/channel-accounts/ChannelAccounts.ts"
import { loadReceiverPolicy, parseReceiverUrl } from "../../domain/webhooks/deliveries/receiver-url.ts"
import { generateSigningSecret } from "../../domain/webhooks/deliveries/signature.ts"
import { reserveId } from "../../platform/database/reserved-id.ts"
import { makeOptionalRowReader, makeRowsReader, makeSingleRowReader } from "../../platform/database/rows.ts"
import { CONNECTOR_NAME_LENGTH, CONNECTORS_MAX, WEBHOOK_SECRET_OVERLAP_MS } from "../../platform/limits.ts"
import { CurrentSealer, type SecretSealer } from "../../platform/sealing/CurrentSealer.ts"
import { connectorSecretBinding } from "../../platform/sealing/sealed-columns.ts"
import { CONNECTOR_NAME_PREFIX, toConnectorName } from "./connector-names.ts"

type Sql = SqlClient.SqlClient
type InvalidInput = BadRequest | ValidationFailed

const NewConnector = Schema.Struct({
  name: Schema.String.check(
    Schema.makeFilter(
      (text) => (text.trim() === "" ? MUST_NOT_BE_EMPTY : hasAtMostCharacters(text, CONNECTOR_NAME_LENGTH)),
      {
        expected: `at most ${CONNECTOR_NAME_LENGTH} characters`
      }
    )
  ),
  url: Schema.String
})
type NewConnector = typeof NewConnector.Type

const decodeNewConnector = makeDecoder(NewConnector)

const ConnectorIdRow = Schema.Struct({ connector_id: Schema.Int })
const ConnectorListRow = Schema.Struct({
  connector_id: Schema.Int,
  name: Schema.String,
  url: Schema.String,
  accounts: Schema.Int,
  created_at: Schema.Date
})

const readInsertResult = makeSingleRowReader(
  Schema.Struct({ connector_id: Schema.NullOr(Schema.Int), taken: Schema.Boolean })
)
const readConnectorId = makeOptionalRowReader(ConnectorIdRow)
const readConnectorList = makeRowsReader(ConnectorListRow)

interface ConnectorWithSecret {
  readonly connector_id: number
  readonly secret: string
}

const toConnectorNotFoundError = (id: number) => new NotFound({ message: `There is no connector ${id}.` })
const connectorLimitError = new ValidationFailed({
  message: `A deployment has at most ${CONNECTORS_MAX} connectors, and all are in use.`
})

const connectorNameConflictError = new Conflict({ message: "name: is already used by another connector." })

/** The table lock keeps concurrent inserts within `CONNECTORS_MAX`. */
const insertConnector = (sql: Sql, id: number, { name, url }: NewConnector, secret: string, now: Date) =>
  sql
    .withTransaction(
      Effect.andThen(
        sql`LOCK TABLE connectors IN SHARE ROW EXCLUSIVE MODE`,
        readInsertResult(sql`
          WITH before AS (
            SELECT count(*) AS connectors, coalesce(bool_or(name = ${name}), false) AS taken FROM connectors
          ), made AS (
            INSERT INTO connectors (id, name, url, secret, created_at)
            OVERRIDING SYSTEM VALUE
            SELECT ${id}::bigint, ${name}, ${url}, ${secret}, ${now}::timestamptz
            FROM before WHERE NOT taken AND connectors < ${CONNECTORS_MAX}::bigint
            RETURNING id
          )
          SELECT (SELECT id FROM made) AS connector_id, taken FROM before`)
      )
    )
    .pipe(Effect.orDie)

const addConnector = Effect.fnUntraced(function* (sql: Sql, { seal }: SecretSealer, input: NewConnector) {
  const { name, url } = yield* decodeNewConnector(input)
  const policy = yield* loadReceiverPolicy
  const address = yield* Effect.fromResult(parseReceiverUrl(url, policy))
  const secret = Redacted.value(yield* generateSigningSecret)
  const [id, now] = [yield* reserveId(sql, "connectors"), yield* DateTime.nowAsDate]
  const sealedSecret = seal(connectorSecretBinding(id), secret)
  const { connector_id, taken } = yield* insertConnector(sql, id, { name, url: address }, sealedSecret, now)
  if (taken) return yield* connectorNameConflictError
  return connector_id === null ? yield* connectorLimitError : { connector_id, secret }
})

const listConnectors = (sql: Sql) =>
  readConnectorList(sql`
    SELECT id AS connector_id, name, url, created_at, (
      SELECT count(*) FROM channel_accounts WHERE connector = ${CONNECTOR_NAME_PREFIX}::text || connectors.id
    ) AS accounts
    FROM connectors ORDER BY id LIMIT ${CONNECTORS_MAX}`).pipe(
    Effect.map((rows) => rows.map((row) => ({ ...row, created_at: formatUtcInstant(row.created_at) })))
  )

const rotateSecret = Effect.fnUntraced(function* (sql: Sql, { seal }: SecretSealer, id: number) {
  const secret = Redacted.value(yield* generateSigningSecret)
  const formerSecretUntil = new Date(
    (yield* Effect.map(DateTime.nowAsDate, (now) => now.getTime())) + WEBHOOK_SECRET_OVERLAP_MS
  )
  const row = yield* readConnectorId(sql`
    UPDATE connectors SET former_secret = secret, former_secret_until = ${formerSecretUntil},
      secret = ${seal(connectorSecretBinding(id), secret)}
    WHERE id = ${id} RETURNING id AS connector_id`)
  return row === undefined ? yield* toConnectorNotFoundError(id) : { ...row, secret }
})

const removeConnector = Effect.fnUntraced(function* (sql: Sql, id: number) {
  return (
    (yield* readConnectorId(sql`DELETE FROM connectors WHERE id = ${id} RETURNING id AS connector_id`)) ??
    (yield* toConnectorNotFoundError(id))
  )
})

export class HttpConnectors extends Context.Service<
  HttpConnectors,
  {
    readonly add: (input: NewConnector) => Effect.Effect<ConnectorWithSecret, InvalidInput | Conflict>
    readonly list: Effect.Effect<
      ReadonlyArray<Omit<typeof ConnectorListRow.Type, "created_at"> & { readonly created_at: string }>
    >
    /** The former secret stays valid for one day. */
    readonly rotateSecret: (id: number) => Effect.Effect<ConnectorWithSecret, NotFound>
    readonly remove: (id: number) => Effect.Effect<typeof ConnectorIdRow.Type, NotFound>
    readonly connectAccount: (
      id: number,
      operatorId: number,
      account: Omit<NewChannelAccount, "connector">
    ) => Effect.Effect<{ readonly channel_account_id: number }, InvalidInput | NotFound, CurrentActor>
  }
>()("latchkey/connectors/http/HttpConnectors") {
  static readonly layer = Layer.effect(
    HttpConnectors,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [accounts, sealer] = [yield* ChannelAccounts, yield* CurrentSealer]
      return HttpConnectors.of({
        add: (input) => addConnector(sql, sealer, input),
        list: listConnectors(sql),
        rotateSecret: (id) => rotateSecret(sql, sealer, id),
        remove: (id) => removeConnector(sql, id),
        connectAccount: Effect.fnUntraced(function* (id, operatorId, account) {
          const row = yield* readConnectorId(sql`SELECT id AS connector_id FROM connectors WHERE id = ${id}`)
          if (row === undefined) return yield* toConnectorNotFoundError(id)
          const now = yield* DateTime.nowAsDate
          const connector = toConnectorName(id)
          return { channel_account_id: yield* accounts.connect(operatorId, { ...account, connector }, now) }
        })
      })
    })
  ).pipe(Layer.provide(layerAccountsWithPrices))
}
