import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { CurrentActor } from "../../../contract/actor.ts"
import { makeDecoder } from "../../../contract/decoder.ts"
import { type BadRequest, NotFound, ValidationFailed } from "../../../contract/errors.ts"
import { CHANNEL_ACCOUNTS_MAX } from "../../../platform/limits.ts"
import { withOperatorLock } from "../../operator-rows.ts"
import type { ChannelAccountEvent } from "../port/channel-events.ts"
import {
  type ChannelAccountRef,
  InvalidChannelEvent,
  toVersionOutcome,
  type VersionOutcome
} from "../port/event-handling.ts"
import { makeConnectAccount, makeIngestAccountUpdate, NewChannelAccount } from "./account-statements.ts"
import { MissedPricePushes } from "./MissedPricePushes.ts"

const decodeNewAccount = makeDecoder(NewChannelAccount)

export class ChannelAccounts extends Context.Service<
  ChannelAccounts,
  {
    /**
     * Connects an account and returns its id. An existing account becomes active again and keeps the version of its
     * last event. Fails with ValidationFailed at the account limit.
     */
    readonly connect: (
      operatorId: number,
      account: NewChannelAccount,
      at: Date
    ) => Effect.Effect<number, BadRequest | NotFound | ValidationFailed, CurrentActor>
    readonly applyUpdate: (
      account: ChannelAccountRef,
      update: ChannelAccountEvent,
      at: Date
    ) => Effect.Effect<VersionOutcome, InvalidChannelEvent, CurrentActor>
  }
>()("latchkey/domain/channels/channel-accounts/ChannelAccounts") {
  static readonly layer = Layer.effect(
    ChannelAccounts,
    Effect.gen(function* () {
      const [sql, pricePushes] = [yield* SqlClient.SqlClient, yield* MissedPricePushes]
      return ChannelAccounts.of({
        connect: makeConnect(sql, pricePushes),
        applyUpdate: makeApplyUpdate(sql, pricePushes)
      })
    })
  )
}

type PricePushes = MissedPricePushes["Service"]

const makeConnect = (sql: SqlClient.SqlClient, pricePushes: PricePushes): ChannelAccounts["Service"]["connect"] => {
  const connectAccount = makeConnectAccount(sql)
  const runLocked = withOperatorLock(sql)
  return Effect.fnUntraced(function* (operatorId, input, at) {
    const account = yield* decodeNewAccount(input)
    const connect = Effect.tap(connectAccount(operatorId, account, at), (connected) =>
      connected?.is_reconnected === true && connected.id !== null
        ? pricePushes.queuePushes({ operatorId, accountId: connected.id }, at)
        : Effect.void
    )
    const connectedAccount = yield* runLocked(operatorId, connect)
    if (connectedAccount === undefined) return yield* new NotFound({ message: `There is no operator ${operatorId}.` })
    return connectedAccount.id ?? (yield* channelAccountLimitError)
  })
}

const channelAccountLimitError = new ValidationFailed({
  message: `channel_accounts: an operator has at most ${CHANNEL_ACCOUNTS_MAX} accounts at channels, and all are in use.`
})

/** An update that may reconnect the account locks the operator, so that no base price changes meanwhile. */
const makeApplyUpdate = (
  sql: SqlClient.SqlClient,
  pricePushes: PricePushes
): ChannelAccounts["Service"]["applyUpdate"] => {
  const ingestUpdate = makeIngestAccountUpdate(sql)
  const runLocked = withOperatorLock(sql)
  return Effect.fnUntraced(function* (account, update, at) {
    const apply = Effect.tap(ingestUpdate(account, update), (outcome) =>
      outcome?.is_reconnected === true ? pricePushes.queuePushes(account, at) : Effect.void
    )
    const outcome = yield* update.auth_status === "disconnected" ? apply : runLocked(account.operatorId, apply)
    if (outcome === undefined) return yield* new InvalidChannelEvent({ reason: "there is no such account" })
    return toVersionOutcome(outcome.last_version, update.version)
  })
}
