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

// The answer to a booking request of a channel, which is an act outside: the channel is told at most once.

/** The field of a call that the channel is told of. */
const CODE_FIELD = "reservation_code"

/** How a request is answered: what its channel is told, what speaks against it, what the order becomes. */
interface BookingRequestAnswer {
  readonly send: Gateway["approve"]
  /** What the channel says of a request that was answered so. */
  readonly channelAnswer: ChannelRequestStatus
  readonly check: (context: OrderChangeContext) => Effect.Effect<void, Conflict>
  /** What the order may have become while its channel was told, so that it still becomes what the channel agreed to. */
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
    // Its time was over in that moment, and yet it is sold.
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
 * The channel is told first and the order is changed after it agreed; from then on nothing of ours can refuse. A stay
 * whose nights were sold in that moment goes into the box.
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
      // Told, and then somebody else was faster to write it down.
      return order.status === "wait_accept" || acceptedStatuses.includes(order.status)
        ? [applyAnswer(order, context)]
        : []
    })
    const change = orders.change(operatorId, yield* currentSecond, { key: { reservation_code } }, computeOrders)
    yield* retryWhileNightsTaken(change).pipe(Effect.catchTag("NightTaken", () => nightsTakenError))
  })

/** A channel that failed (502) or is away (503) is through with an act; one that did not answer in time may be at it still. */
const externalActionStateAfter = (error: ChannelApiError): ExternalActionState => {
  if (error._tag !== "Upstream") return "nothing"
  return error.code === 504 ? "unfinished" : "over"
}

const toChannelAccountTarget = (operatorId: number, order: OrderState): ChannelAccountTarget => ({
  operatorId,
  accountId: order.channel_account_id,
  channelType: order.channel_type
})

/** A channel that is away can be asked later; one that no longer answers us will not tell at all. */
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
