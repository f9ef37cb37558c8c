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
    Effect.map(SqlClient.SqlClient, (sql) =>
      ChannelAccounts.of({ connect: makeConnect(sql), applyUpdate: makeApplyUpdate(sql) })
    )
  )
}

const makeConnect = (sql: SqlClient.SqlClient): ChannelAccounts["Service"]["connect"] => {
  const connectAccount = makeConnectAccount(sql)
  const runLocked = withOperatorLock(sql)
  return Effect.fnUntraced(function* (operatorId, input, at) {
    const account = yield* decodeNewAccount(input)
    const connectedAccount = yield* runLocked(operatorId, connectAccount(operatorId, account, at))
    if (connectedAccount === undefined) return yield* new NotFound({ message: `There is no operator ${operatorId}.` })
    return connectedAccount.id ?? (yield* channelAccountLimitError)
  })
}

const channelAccountLimitError = new ValidationFailed({
  message: `channel_accounts: an operator has at most ${CHANNEL_ACCOUNTS_MAX} accounts at channels, and all are in use.`
})

const makeApplyUpdate = (sql: SqlClient.SqlClient): ChannelAccounts["Service"]["applyUpdate"] => {
  const ingestUpdate = makeIngestAccountUpdate(sql)
  return Effect.fnUntraced(function* (account, update) {
    const previous = yield* ingestUpdate(account, update)
    if (previous === undefined) return yield* new InvalidChannelEvent({ reason: "there is no such account" })
    return toVersionOutcome(previous.last_version, update.version)
  })
}
