import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeRowsReader } from "../../../platform/database/rows.ts"
import { type Connector, Connectors, type RemoteAccount } from "./connector.ts"
import {
  ChannelAccountMissing,
  ChannelDisconnected,
  type ChannelError,
  ChannelNotServed,
  type ConnectorError
} from "./errors.ts"

export interface ChannelAccountTarget {
  readonly operatorId: number
  /**
   * Null for an order without a recorded account. The call then uses the operator's only account of the channel type.
   */
  readonly accountId: number | null
  readonly channelType: string
}

type GatewayMethod<Method> = Method extends (
  account: RemoteAccount,
  payload: infer Payload
) => Effect.Effect<infer A, ConnectorError>
  ? (account: ChannelAccountTarget, payload: Payload) => Effect.Effect<A, ChannelError>
  : never

/**
 * Calls the {@link Connector} of an account. Must not run inside a transaction, because channels may respond slowly.
 */
export class ChannelGateway extends Context.Service<
  ChannelGateway,
  { readonly [Name in keyof Connector]: GatewayMethod<Connector[Name]> }
>()("latchkey/domain/channels/port/ChannelGateway") {
  static readonly layer = Layer.effect(
    ChannelGateway,
    Effect.gen(function* () {
      const makeGatewayMethod = makeGatewayMethodFactory(yield* SqlClient.SqlClient, yield* Connectors)
      return ChannelGateway.of({
        approve: makeGatewayMethod((connector) => connector.approve),
        decline: makeGatewayMethod((connector) => connector.decline),
        answered: makeGatewayMethod((connector) => connector.answered),
        pushPrices: makeGatewayMethod((connector) => connector.pushPrices),
        pushInventories: makeGatewayMethod((connector) => connector.pushInventories),
        pushRestrictions: makeGatewayMethod((connector) => connector.pushRestrictions),
        readCalendar: makeGatewayMethod((connector) => connector.readCalendar),
        readAirbnbPriceAndRules: makeGatewayMethod((connector) => connector.readAirbnbPriceAndRules),
        writeAirbnbPriceAndRules: makeGatewayMethod((connector) => connector.writeAirbnbPriceAndRules),
        writeVrboPriceAndRules: makeGatewayMethod((connector) => connector.writeVrboPriceAndRules),
        sendMessage: makeGatewayMethod((connector) => connector.sendMessage),
        sendOffer: makeGatewayMethod((connector) => connector.sendOffer),
        withdrawOffer: makeGatewayMethod((connector) => connector.withdrawOffer),
        writeReview: makeGatewayMethod((connector) => connector.writeReview)
      })
    })
  )
}

const ChannelAccountRow = Schema.Struct({
  id: Schema.Int,
  origin_account_id: Schema.String,
  auth_status: Schema.String,
  connector: Schema.String
})
const readAccounts = makeRowsReader(ChannelAccountRow)

const makeGatewayMethodFactory = (sql: SqlClient.SqlClient, connectors: Connectors["Service"]) => {
  const accountStatement = ({ operatorId, accountId, channelType }: ChannelAccountQuery) => sql`
      SELECT id, origin_account_id, auth_status, connector FROM channel_accounts
      WHERE operator_id = ${operatorId} AND channel_type = ${channelType}
        AND ${accountId === undefined ? sql`true` : sql`id = ${accountId}`} LIMIT 2`
  const findAccount = Effect.fnUntraced(function* ({ operatorId, accountId, channelType }: ChannelAccountTarget) {
    const rows = yield* readAccounts(accountStatement({ operatorId, accountId: accountId ?? undefined, channelType }))
    const [only, another] = rows
    if (accountId !== null && only === undefined) return yield* new ChannelAccountMissing({ channelType })
    return only === undefined || another !== undefined ? yield* new ChannelNotServed({ channelType }) : only
  })

  return <Payload, A>(
    selectMethod: (
      connector: Connector
    ) => (account: RemoteAccount, payload: Payload) => Effect.Effect<A, ConnectorError>
  ) =>
    (target: ChannelAccountTarget, payload: Payload): Effect.Effect<A, ChannelError> =>
      Effect.flatMap(findAccount(target), ({ id, origin_account_id, auth_status, connector: connectorName }) => {
        const { operatorId, channelType } = target
        const adapter = connectors.find(connectorName)
        if (adapter === undefined) return Effect.fail(new ChannelNotServed({ channelType }))
        if (auth_status === "disconnected") return Effect.fail(new ChannelDisconnected({ channelType }))
        return selectMethod(adapter)(
          { operatorId, accountId: id, channelType, originAccountId: origin_account_id },
          payload
        )
      })
}

interface ChannelAccountQuery {
  readonly operatorId: number
  readonly accountId: number | undefined
  readonly channelType: string
}
