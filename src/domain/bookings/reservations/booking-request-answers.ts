import { Effect } from "effect"
import type { ExternalActionState, runAtMostOnce } from "../../../changes/external-action.ts"
import { CurrentCaller } from "../../../contract/caller.ts"
import { BadRequest, Conflict } from "../../../contract/errors.ts"
import { currentSecond } from "../../../contract/time.ts"
import type { ChannelAccountTarget, ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import {
  CHANNEL_ACTION_TIMEOUT_MS,
  CHANNEL_QUERY_TIMEOUT_MS,
  type ChannelApiError,
  withChannelTimeout
} from "../../channels/port/channel-api-errors.ts"
import type { ChannelRequestStatus } from "../../channels/port/connector.ts"
import { type OrderState, type OrderStatus, orderNotFoundError } from "../orders/order.ts"
import type { approve_reservation } from "./contract.ts"
import { type OrderChangeContext, type Orders, retryWhileNightsTaken } from "./Orders.ts"
import { acceptOrder } from "./rules/unassigned-stays.ts"

// A channel receives the answer to a booking request at most once.

const CODE_FIELD = "reservation_code"

interface BookingRequestAnswer {
  readonly send: Gateway["approve"]
  /** The status that the channel reports after this answer. */
  readonly channelAnswer: ChannelRequestStatus
  readonly check: (context: OrderChangeContext) => Effect.Effect<void, Conflict>
  /** The answer also applies if the order has reached one of these statuses during the call to the channel. */
  readonly acceptedStatuses: ReadonlyArray<OrderStatus>
  readonly applyAnswer: (order: OrderState, context: OrderChangeContext) => OrderState
}

type Gateway = ChannelGateway["Service"]
type RunExternalAction = ReturnType<typeof runAtMostOnce>

export const approveReservation = (orders: Orders["Service"], gateway: Gateway, runExternalAction: RunExternalAction) =>
  answerBookingRequest(orders, gateway, runExternalAction, {
    send: gateway.approve,
    channelAnswer: "approved",
    check: ({ kept }) => (kept.length === 0 ? Effect.void : nightsTakenError),
    // The order may time out during the call, but the channel has sold it.
    acceptedStatuses: ["timeout"],
    applyAnswer: (order, { kept }) => acceptOrder(order, kept)
  })

export const declineReservation = (orders: Orders["Service"], gateway: Gateway, runExternalAction: RunExternalAction) =>
  answerBookingRequest(orders, gateway, runExternalAction, {
    send: gateway.decline,
    channelAnswer: "declined",
    check: () => Effect.void,
    acceptedStatuses: [],
    applyAnswer: (order) => ({ ...order, status: "denied" })
  })

/**
 * Calls the channel first, then changes the order. Once the channel has agreed, conflicting stays are unassigned
 * instead of rejected.
 */
const answerBookingRequest = (
  orders: Orders["Service"],
  gateway: Gateway,
  runExternalAction: RunExternalAction,
  { send, channelAnswer, check, acceptedStatuses, applyAnswer }: BookingRequestAnswer
) =>
  Effect.fnUntraced(function* ({ reservation_code }: typeof approve_reservation.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    let isSent = false
    const computeOrders = Effect.fnUntraced(function* (context: OrderChangeContext) {
      const { order } = context
      if (order === null) return yield* orderNotFoundError
      if (!isSent) {
        const account = toChannelAccountTarget(operatorId, order)
        const remoteOrder = { reservationCode: order.reservation_code, channelId: order.channel_id }
        yield* runExternalAction<ChannelApiError, never>({
          check: order.status === "wait_accept" ? check(context) : orderNotPendingError(order.status),
          run: withChannelTimeout(send(account, remoteOrder), CODE_FIELD),
          hasHappened: Effect.map(readChannelAnswer(gateway, account, remoteOrder), (answer) =>
            answer === "unknown" ? undefined : answer === channelAnswer
          ),
          maxDurationMs: CHANNEL_ACTION_TIMEOUT_MS + CHANNEL_QUERY_TIMEOUT_MS,
          stateAfterError: externalActionStateAfter
        })
        isSent = true
      }
      // Otherwise another change of the order was faster, and this answer changes nothing.
      return order.status === "wait_accept" || acceptedStatuses.includes(order.status)
        ? [applyAnswer(order, context)]
        : []
    })
    const change = orders.change(operatorId, yield* currentSecond, { key: { reservation_code } }, computeOrders)
    yield* retryWhileNightsTaken(change).pipe(Effect.catchTag("NightTaken", () => nightsTakenError))
  })

/** After 502 or 503 the channel no longer works on the action. After 504 it may still do so. */
const externalActionStateAfter = (error: ChannelApiError): ExternalActionState => {
  if (error._tag !== "Upstream") return "nothing"
  return error.code === 504 ? "unfinished" : "over"
}

const toChannelAccountTarget = (operatorId: number, order: OrderState): ChannelAccountTarget => ({
  operatorId,
  accountId: order.channel_account_id,
  channelType: order.channel_type
})

/**
 * Fails while the channel is unavailable, so that a later call can query the status again. After any other error,
 * returns `unknown`.
 */
const readChannelAnswer = (
  gateway: Gateway,
  ...order: Parameters<Gateway["answered"]>
): Effect.Effect<ChannelRequestStatus, ChannelApiError> =>
  withChannelTimeout(gateway.answered(...order), CODE_FIELD, CHANNEL_QUERY_TIMEOUT_MS).pipe(
    Effect.catch((error) => (error._tag === "Upstream" ? Effect.fail(error) : Effect.succeed("unknown" as const)))
  )

const nightsTakenError = new Conflict({ message: "reservation_code: another reservation holds nights of this one." })
const orderNotPendingError = (status: string) =>
  new BadRequest({ message: `reservation_code: the order is ${status}, not waiting for an answer.` })
