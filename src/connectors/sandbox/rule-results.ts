import { Result } from "effect"
import { Conflict, NotFound, ValidationFailed } from "../../contract/errors.ts"
import { formatMinorUnits } from "../../contract/money.ts"
import { formatUtcInstant } from "../../contract/time.ts"
import type { ChannelOrderEvent } from "../../domain/channels/port/channel-events.ts"
import { SANDBOX_ORDERS_MAX } from "../../platform/limits.ts"
import type { RuleError } from "./marketplace-snapshot.ts"
import { toMajorUnits } from "./minor-units.ts"
import { computeOrderTotal } from "./order-transitions.ts"
import type { SandboxOrder } from "./rows.ts"
import type { RuleContext } from "./rule-runner.ts"

export type RuleResult<A> = Result.Result<A, RuleError>

export interface SandboxOrderView {
  readonly order_id: string
  readonly operator_id: number
  readonly account_id: number
  readonly channel_type: string
  readonly status: SandboxOrder["status"]
  readonly version: number
  readonly currency: string
  readonly guest_name: string
  readonly total: number
  readonly paid: number
  readonly expires_at: string | null
  readonly rooms: ChannelOrderEvent["rooms"]
}

export const toOrderView = (
  { snapshot: { account } }: RuleContext,
  order: SandboxOrder,
  paid: bigint
): SandboxOrderView => ({
  order_id: order.order_id,
  operator_id: account.operator_id,
  account_id: account.account_id,
  channel_type: account.channel_type,
  status: order.status,
  version: order.version,
  currency: order.said.currency,
  guest_name: order.said.booker.name,
  total: toMajorUnits(computeOrderTotal(order), order.said.currency),
  paid: Number(formatMinorUnits(paid < 0n ? 0n : paid, order.said.currency)),
  expires_at: order.expires_at === null ? null : formatUtcInstant(order.expires_at),
  rooms: order.said.rooms
})

export const failConflict = (message: string) => Result.fail(new Conflict({ message }))
export const failValidation = (message: string) => Result.fail(new ValidationFailed({ message }))

export const requireOrder = ({ order }: RuleContext): RuleResult<SandboxOrder> =>
  order === undefined ? Result.fail(new NotFound({ message: "order_id: no such order." })) : Result.succeed(order)

export const toOrderLimitError = (field: string): ValidationFailed =>
  new ValidationFailed({ message: `${field}: an account of the sandbox keeps at most ${SANDBOX_ORDERS_MAX} orders.` })
