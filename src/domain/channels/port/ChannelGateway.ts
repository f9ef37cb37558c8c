import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { rowsOf } from "../../../platform/database/rows.ts"
import { type AccountThere, type Connector, Connectors } from "./connector.ts"
import {
  ChannelAccountMissing,
  ChannelDisconnected,
  type ChannelError,
  ChannelNotServed,
  type ConnectorError
} from "./errors.ts"

/** The account that an act is about. */
export interface AccountMeant {
  readonly operatorId: number
  /** Null of an order that came before accounts were known: then the operator's only account of the channel type. */
  readonly accountId: number | null
  readonly channelType: string
}

type Port<Act> = Act extends (account: AccountThere, payload: infer Payload) => Effect.Effect<infer A, ConnectorError>
  ? (account: AccountMeant, payload: Payload) => Effect.Effect<A, ChannelError>
  : never

/**
 * The port to marketplaces: the acts of a {@link Connector}, each at the connector of the account it is about. Never called
 * inside a transaction: a channel may take its time.
 */
export class ChannelGateway extends Context.Service<
  ChannelGateway,
  { readonly [Name in keyof Connector]: Port<Connector[Name]> }
>()("latchkey/channels/ChannelGateway") {
  static readonly layer = Layer.effect(
    ChannelGateway,
    Effect.gen(function* () {
      const reached = reaching(yield* SqlClient.SqlClient, yield* Connectors)
      return ChannelGateway.of({
        approve: reached((connector) => connector.approve),
        decline: reached((connector) => connector.decline),
        answered: reached((connector) => connector.answered),
        pushPrices: reached((connector) => connector.pushPrices),
        pushInventories: reached((connector) => connector.pushInventories),
        pushRestrictions: reached((connector) => connector.pushRestrictions),
        readCalendar: reached((connector) => connector.readCalendar),
        readAirbnbPriceAndRules: reached((connector) => connector.readAirbnbPriceAndRules),
        writeAirbnbPriceAndRules: reached((connector) => connector.writeAirbnbPriceAndRules),
        writeVrboPriceAndRules: reached((connector) => connector.writeVrboPriceAndRules),
        sendMessage: reached((connector) => connector.sendMessage),
        sendOffer: reached((connector) => connector.sendOffer),
        withdrawOffer: reached((connector) => connector.withdrawOffer),
        writeReview: reached((connector) => connector.writeReview)
      })
    })
  )
}

const AccountRow = Schema.Struct({
  id: Schema.Int,
  origin_account_id: Schema.String,
  auth_status: Schema.String,
  connector: Schema.String
})
const readAccounts = rowsOf(AccountRow)

/** An act at the connector of the account it is about. */
const reaching = (sql: SqlClient.SqlClient, connectors: Connectors["Service"]) => {
  const accounts = inForms(
    sql,
    ({ operatorId, accountId, channelType }: Givens<Sought>) => sql`
      SELECT id, origin_account_id, auth_status, connector FROM channel_accounts
      WHERE operator_id = ${operatorId} AND channel_type = ${channelType}
        AND ${accountId === undefined ? sql`true` : sql`id = ${accountId}`} LIMIT 2`
  )
  const accountOf = Effect.fnUntraced(function* ({ operatorId, accountId, channelType }: AccountMeant) {
    const found = yield* readAccounts(accounts({ operatorId, accountId: accountId ?? undefined, channelType }))
    const [only, another] = found
    if (accountId !== null && only === undefined) return yield* new ChannelAccountMissing({ channelType })
    return only === undefined || another !== undefined ? yield* new ChannelNotServed({ channelType }) : only
  })

  return <Payload, A>(
    act: (connector: Connector) => (account: AccountThere, payload: Payload) => Effect.Effect<A, ConnectorError>
  ) =>
    (meant: AccountMeant, payload: Payload): Effect.Effect<A, ChannelError> =>
      Effect.flatMap(accountOf(meant), ({ id, origin_account_id, auth_status, connector }) => {
        const { operatorId, channelType } = meant
        const served = connectors.find(connector)
        if (served === undefined) return Effect.fail(new ChannelNotServed({ channelType }))
        if (auth_status === "disconnected") return Effect.fail(new ChannelDisconnected({ channelType }))
        return act(served)({ operatorId, accountId: id, channelType, originAccountId: origin_account_id }, payload)
      })
}

interface Sought {
  readonly operatorId: number
  readonly accountId: number | undefined
  readonly channelType: string
}
