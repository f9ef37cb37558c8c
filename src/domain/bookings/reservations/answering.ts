import { Effect } from "effect"
import type { atMostOnce, Left } from "../../../changes/outward.ts"
import { CurrentOperator } from "../../../contract/caller.ts"
import { BadRequest, Conflict, NotFound } from "../../../contract/errors.ts"
import { currentSecond } from "../../../contract/time.ts"
import { inTime, OUTWARD_ACT_MS, OUTWARD_ASK_MS, type RefusedByChannel } from "../../channels/port/api-errors.ts"
import type { AccountMeant, ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import type { ChannelAnswer } from "../../channels/port/connector.ts"
import type { OrderState, Status } from "../orders/order.ts"
import type { approve_reservation } from "./contract.ts"
import { againWhileNightsGo, type FoundOrder, type Orders } from "./Orders.ts"
import { accepted } from "./rules/box.ts"

// The answer to a booking request of a channel, which is an act outside: the channel is told at most once.

/** The field of a call that the channel is told of. */
const CODE = "reservation_code"

/** How a request is answered: what its channel is told, what speaks against it, what the order becomes. */
interface Answering {
  readonly tell: Gateway["approve"]
  /** What the channel says of a request that was answered so. */
  readonly toldAs: ChannelAnswer
  readonly check: (found: FoundOrder) => Effect.Effect<void, Conflict>
  /** What the order may have become while its channel was told, so that it still becomes what the channel agreed to. */
  readonly unless: ReadonlyArray<Status>
  readonly answered: (order: OrderState, found: FoundOrder) => OrderState
}

type Gateway = ChannelGateway["Service"]
type Outward = ReturnType<typeof atMostOnce>

export const approveReservation = (orders: Orders["Service"], gateway: Gateway, outward: Outward) =>
  answering(orders, gateway, outward, {
    tell: gateway.approve,
    toldAs: "approved",
    check: ({ kept }) => (kept.length === 0 ? Effect.void : nightsOfOrderHeld),
    // Its time was over in that moment, and yet it is sold.
    unless: ["timeout"],
    answered: (order, { kept }) => accepted(order, kept)
  })

export const declineReservation = (orders: Orders["Service"], gateway: Gateway, outward: Outward) =>
  answering(orders, gateway, outward, {
    tell: gateway.decline,
    toldAs: "declined",
    check: () => Effect.void,
    unless: [],
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
  { tell, toldAs, check, unless, answered }: Answering
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
        yield* outward<RefusedByChannel, never>({
          check: order.status === "wait_accept" ? check(found) : notPending(order.status),
          act: inTime(tell(account, there), CODE),
          happened: Effect.map(asked(gateway, account, there), (answer) =>
            answer === "unknown" ? undefined : answer === toldAs
          ),
          lastsMs: OUTWARD_ACT_MS + OUTWARD_ASK_MS,
          leaves: leftBy
        })
        told = true
      }
      // Told, and then somebody else was faster to write it down.
      return order.status === "wait_accept" || unless.includes(order.status) ? [answered(order, found)] : []
    })
    const changed = orders.change(operatorId, yield* currentSecond, { key: { reservation_code } }, next)
    yield* againWhileNightsGo(changed).pipe(Effect.catchTag("NightTaken", () => nightsOfOrderHeld))
  })

/** A channel that failed (502) or is away (503) is through with an act; one that did not answer in time may be at it still. */
const leftBy = (error: RefusedByChannel): Left => {
  if (error._tag !== "Upstream") return "nothing"
  return error.code === 504 ? "unfinished" : "over"
}

const accountOf = (operatorId: number, order: OrderState): AccountMeant => ({
  operatorId,
  accountId: order.channel_account_id,
  channelType: order.channel_type
})

/** A channel that is away can be asked later; one that no longer answers us will not tell at all. */
const asked = (
  gateway: Gateway,
  ...order: Parameters<Gateway["answered"]>
): Effect.Effect<ChannelAnswer, RefusedByChannel> =>
  inTime(gateway.answered(...order), CODE, OUTWARD_ASK_MS).pipe(
    Effect.catch((error) => (error._tag === "Upstream" ? Effect.fail(error) : Effect.succeed("unknown" as const)))
  )

const noSuchOrder = new NotFound({ message: "reservation_code: no such order." })
const nightsOfOrderHeld = new Conflict({ message: "reservation_code: another reservation holds nights of this one." })
const notPending = (status: string) =>
  new BadRequest({ message: `reservation_code: the order is ${status}, not waiting for an answer.` })
