import { Clock, Effect } from "effect"
import { type ChannelError, ChannelGateway, type ChannelOrder } from "../../channels/ChannelGateway.ts"
import { CurrentOperator } from "../../contract/caller.ts"
import { BadRequest, Conflict, NotFound, NotImplemented, Upstream } from "../../contract/errors.ts"
import { wholeSecond } from "../../contract/time.ts"
import { ORDER_ENTRY_ATTEMPTS } from "../../limits.ts"
import { accepted } from "./moves.ts"
import { type Meant, Orders } from "./Orders.ts"
import type { OrderState } from "./order-state.ts"

/**
 * Answering booking requests. The channel is told first and the order is changed after it agreed; from then on nothing
 * of ours can refuse. A stay whose nights were sold in that moment goes into the box.
 */
export const makeAnswering = Effect.gen(function* () {
  const gateway = yield* ChannelGateway
  const orders = yield* Orders

  const answering = (
    tell: (order: ChannelOrder) => Effect.Effect<void, ChannelError>,
    check: (meant: Meant) => Effect.Effect<void, Conflict>,
    next: (order: OrderState, meant: Meant) => OrderState
  ) =>
    Effect.fnUntraced(function* (reservationCode: string) {
      const { operatorId } = yield* CurrentOperator
      const at = wholeSecond(yield* Clock.currentTimeMillis)
      let told = false
      yield* orders
        .change(
          operatorId,
          at,
          { key: { reservationCode } },
          Effect.fnUntraced(function* (meant: Meant) {
            const { order } = meant
            if (order === null) return yield* noSuchOrder
            if (order.status !== "wait_accept") {
              // Told, and then somebody else was faster to write it down.
              return told ? [] : yield* notPending(order.status)
            }
            if (!told) {
              yield* check(meant)
              yield* Effect.mapError(tell({ operatorId, ...order }), toApiError)
              told = true
            }
            return [next(order, meant)]
          })
        )
        .pipe(
          Effect.retry({ times: ORDER_ENTRY_ATTEMPTS, while: (error) => error._tag === "NightTaken" }),
          Effect.catchTag("NightTaken", () => nightsHeld)
        )
      return {}
    })

  return {
    approve: answering(
      gateway.approve,
      ({ kept }) => (kept.length === 0 ? Effect.void : nightsHeld),
      (order, { kept }) => accepted(order, kept)
    ),
    decline: answering(
      gateway.decline,
      () => Effect.void,
      (order) => ({ ...order, status: "denied" })
    )
  }
})

const toApiError = (error: ChannelError) => {
  switch (error._tag) {
    case "ChannelAccountMissing":
      return new NotFound({ message: `reservation_code: there is no account on ${error.channelType} any more.` })
    case "ChannelDisconnected":
      return new BadRequest({ message: `reservation_code: the account on ${error.channelType} is disconnected.` })
    case "ChannelRefused":
      return new Conflict({ message: `reservation_code: the channel refused: ${error.reason}.` })
    case "ChannelUnavailable":
      return new Upstream({ code: error.code, message: "The channel failed or did not answer in time." })
    case "ChannelNotServed":
      return new NotImplemented({ message: `Requests of ${error.channelType} cannot be answered here.` })
  }
}

const noSuchOrder = new NotFound({ message: "reservation_code: no such order." })
const nightsHeld = new Conflict({ message: "reservation_code: another reservation holds nights of this one." })
const notPending = (status: string) =>
  new BadRequest({ message: `reservation_code: the order is ${status}, not waiting for an answer.` })
