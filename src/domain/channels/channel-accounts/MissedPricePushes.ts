import { Context, type Effect } from "effect"
import type { OperatorScoped } from "../../operator-rows.ts"

export interface ReconnectedAccount extends OperatorScoped {
  readonly accountId: number
}

/** Queues the base prices that the listings of an account missed while it was disconnected. */
export class MissedPricePushes extends Context.Service<
  MissedPricePushes,
  {
    /** Must run in the transaction that reconnects the account, under the operator's lock. */
    readonly queuePushes: (account: ReconnectedAccount, now: Date) => Effect.Effect<void>
  }
>()("latchkey/domain/channels/channel-accounts/MissedPricePushes") {}
