import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Acting } from "../../../contract/acting.ts"
import { decoderOf } from "../../../contract/decode.ts"
import { type BadRequest, NotFound, ValidationFailed } from "../../../contract/errors.ts"
import { CHANNEL_ACCOUNTS } from "../../../platform/limits.ts"
import { inTurn } from "../../own-row.ts"
import { type HeardVersion, heardVersion, SaidRefused, type Speaking } from "../port/heard.ts"
import type { AccountSaid } from "../port/said.ts"
import { connect, hear, NewChannelAccount } from "./inward.ts"

const readNew = decoderOf(NewChannelAccount)

/** The accounts of operators at channels: how they come in and how they stand. Each change is in the trail. */
export class ChannelAccounts extends Context.Service<
  ChannelAccounts,
  {
    /**
     * Lets the service into an account and answers its id. One that is there already is active again, by this connector;
     * what its channel said of it before stays heard. ValidationFailed: the operator has all the accounts it may have.
     */
    readonly connect: (
      operatorId: number,
      account: NewChannelAccount,
      at: Date
    ) => Effect.Effect<number, BadRequest | NotFound | ValidationFailed, Acting>
    /** How the account that speaks stands, as its channel says. */
    readonly said: (speaker: Speaking, said: AccountSaid, at: Date) => Effect.Effect<HeardVersion, SaidRefused, Acting>
  }
>()("latchkey/resources/ChannelAccounts") {
  static readonly layer = Layer.effect(
    ChannelAccounts,
    Effect.map(SqlClient.SqlClient, (sql) => ChannelAccounts.of({ connect: connecting(sql), said: hearing(sql) }))
  )
}

const connecting = (sql: SqlClient.SqlClient): ChannelAccounts["Service"]["connect"] => {
  const connected = connect(sql)
  const alone = inTurn(sql)
  return Effect.fnUntraced(function* (operatorId, input, at) {
    const account = yield* readNew(input)
    const made = yield* alone(operatorId, connected(operatorId, account, at))
    if (made === undefined) return yield* new NotFound({ message: `There is no operator ${operatorId}.` })
    return made.id ?? (yield* noMoreAccounts)
  })
}

const noMoreAccounts = new ValidationFailed({
  message: `channel_accounts: an operator has at most ${CHANNEL_ACCOUNTS} accounts at channels, and all are in use.`
})

const hearing = (sql: SqlClient.SqlClient): ChannelAccounts["Service"]["said"] => {
  const heard = hear(sql)
  return Effect.fnUntraced(function* (speaker, said) {
    const before = yield* heard(speaker, said)
    if (before === undefined) return yield* new SaidRefused({ reason: "there is no such account" })
    return heardVersion(before.last_version, said.version)
  })
}
