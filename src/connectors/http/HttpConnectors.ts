import { Context, DateTime, Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Acting } from "../../contract/acting.ts"
import { decoderOf } from "../../contract/decode.ts"
import { type BadRequest, Conflict, NotFound, ValidationFailed } from "../../contract/errors.ts"
import { EMPTY, isUpTo } from "../../contract/fields.ts"
import { instantText } from "../../contract/time.ts"
import { ChannelAccounts } from "../../domain/channels/channel-accounts/ChannelAccounts.ts"
import type { NewChannelAccount } from "../../domain/channels/channel-accounts/inward.ts"
import { receiverPolicy, receiverUrl } from "../../domain/webhooks/deliveries/receiver-url.ts"
import { generateSecret } from "../../domain/webhooks/deliveries/signature.ts"
import { drawnId } from "../../platform/database/drawn-id.ts"
import { onlyRowOf, rowOf, rowsOf } from "../../platform/database/rows.ts"
import { CONNECTOR_NAME, CONNECTORS, WEBHOOK_SECRET_OVERLAP_MS } from "../../platform/limits.ts"
import { connectorSecret } from "../../platform/sealing/places.ts"
import { Sealing, type Seals } from "../../platform/sealing/Sealing.ts"
import { CONNECTOR_PREFIX, connectorName } from "./names.ts"

type Sql = SqlClient.SqlClient
type Unreadable = BadRequest | ValidationFailed

const NewConnector = Schema.Struct({
  name: Schema.String.check(
    Schema.makeFilter((text) => (text.trim() === "" ? EMPTY : isUpTo(text, CONNECTOR_NAME)), {
      expected: `at most ${CONNECTOR_NAME} characters`
    })
  ),
  url: Schema.String
})
type NewConnector = typeof NewConnector.Type

const readNew = decoderOf(NewConnector)

const Made = Schema.Struct({ connector_id: Schema.Int })
const Listed = Schema.Struct({
  connector_id: Schema.Int,
  name: Schema.String,
  url: Schema.String,
  /** Accounts that are reached by it. */
  accounts: Schema.Int,
  created_at: Schema.Date
})

const readMade = onlyRowOf(Schema.Struct({ connector_id: Schema.NullOr(Schema.Int), taken: Schema.Boolean }))
const readOne = rowOf(Made)
const readListed = rowsOf(Listed)

/** A secret is shown once, when it is made. */
export interface WithSecret {
  readonly connector_id: number
  readonly secret: string
}

const noSuchConnector = (id: number) => new NotFound({ message: `There is no connector ${id}.` })
const noMore = new ValidationFailed({
  message: `A deployment has at most ${CONNECTORS} connectors, and all are in use.`
})

const nameTaken = new Conflict({ message: "name: is already used by another connector." })

/** Alone, so that two at once do not each see the last free place. */
const adding = (sql: Sql, id: number, { name, url }: NewConnector, secret: string, now: Date) =>
  sql
    .withTransaction(
      Effect.andThen(
        sql`LOCK TABLE connectors IN SHARE ROW EXCLUSIVE MODE`,
        readMade(sql`
          WITH before AS (
            SELECT count(*) AS connectors, coalesce(bool_or(name = ${name}), false) AS taken FROM connectors
          ), made AS (
            INSERT INTO connectors (id, name, url, secret, created_at)
            OVERRIDING SYSTEM VALUE
            SELECT ${id}::bigint, ${name}, ${url}, ${secret}, ${now}::timestamptz
            FROM before WHERE NOT taken AND connectors < ${CONNECTORS}::bigint
            RETURNING id
          )
          SELECT (SELECT id FROM made) AS connector_id, taken FROM before`)
      )
    )
    .pipe(Effect.orDie)

const add = Effect.fnUntraced(function* (sql: Sql, { seal }: Seals, input: NewConnector) {
  const { name, url } = yield* readNew(input)
  const policy = yield* receiverPolicy
  const address = yield* Effect.fromResult(receiverUrl(url, policy))
  const secret = Redacted.value(yield* generateSecret)
  const [id, now] = [yield* drawnId(sql, "connectors"), yield* DateTime.nowAsDate]
  const kept = seal(connectorSecret(id), secret)
  const { connector_id, taken } = yield* adding(sql, id, { name, url: address }, kept, now)
  if (taken) return yield* nameTaken
  return connector_id === null ? yield* noMore : { connector_id, secret }
})

const list = (sql: Sql) =>
  readListed(sql`
    SELECT id AS connector_id, name, url, created_at, (
      SELECT count(*) FROM channel_accounts WHERE connector = ${CONNECTOR_PREFIX}::text || connectors.id
    ) AS accounts
    FROM connectors ORDER BY id LIMIT ${CONNECTORS}`).pipe(
    Effect.map((rows) => rows.map((row) => ({ ...row, created_at: instantText(row.created_at) })))
  )

const rotate = Effect.fnUntraced(function* (sql: Sql, { seal }: Seals, id: number) {
  const secret = Redacted.value(yield* generateSecret)
  const until = new Date((yield* Effect.map(DateTime.nowAsDate, (now) => now.getTime())) + WEBHOOK_SECRET_OVERLAP_MS)
  const made = yield* readOne(sql`
    UPDATE connectors SET former_secret = secret, former_secret_until = ${until},
      secret = ${seal(connectorSecret(id), secret)}
    WHERE id = ${id} RETURNING id AS connector_id`)
  return made === undefined ? yield* noSuchConnector(id) : { ...made, secret }
})

const remove = Effect.fnUntraced(function* (sql: Sql, id: number) {
  return (
    (yield* readOne(sql`DELETE FROM connectors WHERE id = ${id} RETURNING id AS connector_id`)) ??
    (yield* noSuchConnector(id))
  )
})

/** The connectors over HTTP of this deployment, for whoever runs it. */
export class HttpConnectors extends Context.Service<
  HttpConnectors,
  {
    /** Conflict: another one has the name. */
    readonly add: (input: NewConnector) => Effect.Effect<WithSecret, Unreadable | Conflict>
    readonly list: Effect.Effect<
      ReadonlyArray<Omit<typeof Listed.Type, "created_at"> & { readonly created_at: string }>
    >
    /** A new secret; the one before signs beside it for a day. */
    readonly rotate: (id: number) => Effect.Effect<WithSecret, NotFound>
    /** Accounts that were reached by it are reached no more. */
    readonly remove: (id: number) => Effect.Effect<typeof Made.Type, NotFound>
    /** Lets the connector act and speak for an account of an operator. */
    readonly connect: (
      id: number,
      operatorId: number,
      account: Omit<NewChannelAccount, "connector">
    ) => Effect.Effect<{ readonly channel_account_id: number }, Unreadable | NotFound, Acting>
  }
>()("latchkey/connectors/HttpConnectors") {
  static readonly layer = Layer.effect(
    HttpConnectors,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [accounts, seals] = [yield* ChannelAccounts, yield* Sealing]
      return HttpConnectors.of({
        add: (input) => add(sql, seals, input),
        list: list(sql),
        rotate: (id) => rotate(sql, seals, id),
        remove: (id) => remove(sql, id),
        connect: Effect.fnUntraced(function* (id, operatorId, account) {
          const found = yield* readOne(sql`SELECT id AS connector_id FROM connectors WHERE id = ${id}`)
          if (found === undefined) return yield* noSuchConnector(id)
          const now = yield* DateTime.nowAsDate
          const connector = connectorName(id)
          return { channel_account_id: yield* accounts.connect(operatorId, { ...account, connector }, now) }
        })
      })
    })
  ).pipe(Layer.provide(ChannelAccounts.layer))
}
