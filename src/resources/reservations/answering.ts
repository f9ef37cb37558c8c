import { Effect } from "effect"
import type { atMostOnce, Left } from "../../changes/outward.ts"
import type { AccountMeant, ChannelGateway } from "../../channels/ChannelGateway.ts"
import type { ChannelAnswer } from "../../channels/connector.ts"
import { type ChannelError, ChannelUnavailable } from "../../channels/errors.ts"
import { CurrentOperator } from "../../contract/caller.ts"
import { type ApiError, BadRequest, Conflict, NotFound, NotImplemented, Upstream } from "../../contract/errors.ts"
import { currentSecond } from "../../contract/time.ts"
import type { OrderState } from "../orders/order.ts"
import type { approve_reservation } from "./contract.ts"
import { againWhileNightsGo, type FoundOrder, type Orders } from "./Orders.ts"
import { accepted } from "./rules/box.ts"

// The answer to a booking request of a channel, which is an act outside: the channel is told at most once.

/**
 * Milliseconds a channel has to take an act, and to say what became of one. Both together are less than an act may be under
 * way (changes/Keys.ts), so that nobody takes a call over that still tells its channel.
 */
export const OUTWARD_ACT_MS = 30_000
export const OUTWARD_ASK_MS = 10_000

/** How a request is answered: what its channel is told, what speaks against it, what the order becomes. */
interface Answering {
  readonly tell: Gateway["approve"]
  /** What the channel says of a request that was answered so. */
  readonly toldAs: ChannelAnswer
  readonly check: (found: FoundOrder) => Effect.Effect<void, Conflict>
  readonly answered: (order: OrderState, found: FoundOrder) => OrderState
}

type Gateway = ChannelGateway["Service"]
type Outward = ReturnType<typeof atMostOnce>

export const approveReservation = (orders: Orders["Service"], gateway: Gateway, outward: Outward) =>
  answering(orders, gateway, outward, {
    tell: gateway.approve,
    toldAs: "approved",
    check: ({ kept }) => (kept.length === 0 ? Effect.void : nightsOfOrderHeld),
    answered: (order, { kept }) => accepted(order, kept)
  })

export const declineReservation = (orders: Orders["Service"], gateway: Gateway, outward: Outward) =>
  answering(orders, gateway, outward, {
    tell: gateway.decline,
    toldAs: "declined",
    check: () => Effect.void,
    answered: (order) => ({ ...order, status: "denied" })
  })

/**
 * The channel is told first and the order is changed after it agreed; from then on nothing of ours can refuse. A stay
 * whose nights were sold in that moment goes into the box.
 */
const answering = (
  orders: Orders["Service"],
  gateway: Gateway,
  outward: Outward,
  { tell, toldAs, check, answered }: Answering
) =>
  Effect.fnUntraced(function* ({ reservation_code }: typeof approve_reservation.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    let told = false
    const next = Effect.fnUntraced(function* (found: FoundOrder) {
      const { order } = found
      if (order === null) return yield* noSuchOrder
      if (!told) {
        const account = accountOf(operatorId, order)
        const there = { reservationCode: order.reservation_code, channelId: order.channel_id }
        yield* outward<RefusedAnswer, never>({
          check: order.status === "wait_accept" ? check(found) : notPending(order.status),
          act: inTime(tell(account, there), OUTWARD_ACT_MS),
          happened: Effect.map(asked(gateway, account, there), (answer) =>
            answer === "unknown" ? undefined : answer === toldAs
          ),
          lastsMs: OUTWARD_ACT_MS + OUTWARD_ASK_MS,
          leaves: leftBy
        })
        told = true
      }
      // Told, and then somebody else was faster to write it down.
      return order.status === "wait_accept" ? [answered(order, found)] : []
    })
    const changed = orders.change(operatorId, yield* currentSecond, { key: { reservation_code } }, next)
    yield* againWhileNightsGo(changed).pipe(Effect.catchTag("NightTaken", () => nightsOfOrderHeld))
  })

/** A channel that failed (502) or is away (503) is through with an act; one that did not answer in time may be at it still. */
const leftBy = (error: RefusedAnswer): Left => {
  if (error._tag !== "Upstream") return "nothing"
  return error.code === 504 ? "unfinished" : "over"
}

type RefusedAnswer = Extract<ApiError, BadRequest | NotFound | Conflict | NotImplemented | Upstream>

const accountOf = (operatorId: number, order: OrderState): AccountMeant => ({
  operatorId,
  accountId: order.channel_account_id,
  channelType: order.channel_type
})

/** What a channel that does not answer in time did is as unknown as what one did that is away. */
const inTime = <A>(said: Effect.Effect<A, ChannelError>, ms: number): Effect.Effect<A, RefusedAnswer> =>
  said.pipe(
    Effect.timeoutOrElse({ duration: ms, orElse: () => Effect.fail(new ChannelUnavailable({ code: 504 })) }),
    Effect.mapError(toApiError)
  )

/** A channel that is away can be asked later; one that no longer answers us will not tell at all. */
const asked = (
  gateway: Gateway,
  ...order: Parameters<Gateway["answered"]>
): Effect.Effect<ChannelAnswer, RefusedAnswer> =>
  inTime(gateway.answered(...order), OUTWARD_ASK_MS).pipe(
    Effect.catch((error) => (error._tag === "Upstream" ? Effect.fail(error) : Effect.succeed("unknown" as const)))
  )

const noSuchOrder = new NotFound({ message: "reservation_code: no such order." })
const nightsOfOrderHeld = new Conflict({ message: "reservation_code: another reservation holds nights of this one." })
const notPending = (status: string) =>
  new BadRequest({ message: `reservation_code: the order is ${status}, not waiting for an answer.` })

const toApiError = (error: ChannelError): RefusedAnswer => {
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
