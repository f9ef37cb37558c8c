import { Clock, Effect, Result } from "effect"
import { CurrentOperator } from "../../contract/caller.ts"
import { Conflict, NotFound, ValidationFailed } from "../../contract/errors.ts"
import { wholeSecond } from "../../contract/time.ts"
import { Deployment } from "../../installation.ts"
import { ORDER_ENTRY_ATTEMPTS } from "../../limits.ts"
import { customAlphabet } from "../../random-text.ts"
import { customChannelOf } from "../custom-channels/dictionary.ts"
import { isSystemEntry } from "../transactions/dictionaries.ts"
import { checkedAmount, checkedDays, filled } from "./amending.ts"
import { manualCode } from "./codes.ts"
import type { create_reservation } from "./contract.ts"
import { OrderEntryStore, type Outcome } from "./entry-store.ts"
import type { NewOrder } from "./new-order.ts"
import { Orders } from "./Orders.ts"

type Payload = typeof create_reservation.payloadSchema.Type

/** Money that comes with an order made by hand is for the room (transactions/dictionaries.ts). */
const ROOM_FEE = 11

/** The order a payload describes, under the given channel id; what cannot be an order says which field is why. */
export const orderByHand = (
  payload: Payload,
  made: { readonly channelId: string; readonly at: Date; readonly creator: string }
): Result.Result<NewOrder, ValidationFailed> =>
  Result.gen(function* () {
    const { currency } = payload
    const { checkIn, checkOut } = yield* checkedDays(payload.check_in_date, payload.check_out_date)
    const rate = yield* checkedAmount("rate_amount", payload.rate_amount, currency)
    const commission = yield* checkedAmount("commission_amount", payload.commission_amount, currency)
    const received = yield* checkedAmount("received_amount", payload.received_amount, currency)
    const contact = {
      name: payload.guest_name,
      phone: filled(payload.mobile ?? ""),
      email: filled(payload.email ?? "")
    }
    const numberOfGuests = payload.number_of_guests ?? 1
    return {
      reservationCode: manualCode(made.channelId),
      channelType: "direct",
      channelId: made.channelId,
      status: "accepted",
      currency,
      bookedAt: made.at,
      creator: made.creator,
      customChannelId: payload.custom_channel_id,
      conversationId: null,
      cancellationPolicyCategory: null,
      stays: [
        {
          propertyId: payload.property_id,
          listingId: null,
          checkIn,
          checkOut,
          adults: numberOfGuests,
          children: 0,
          infants: 0,
          pets: 0,
          numberOfGuests,
          guestName: contact.name,
          guestPhone: contact.phone,
          guestEmail: contact.email,
          rate,
          commission,
          revenue: rate,
          rateDetails: null,
          additionalFees: [],
          remarks: payload.remarks ?? "",
          channelRemarks: "",
          guests: [{ ...contact, idType: null, idNumber: null, gender: null, country: null, isBooker: true }]
        }
      ],
      received:
        payload.received_amount === 0
          ? null
          : { amount: received, itemId: ROOM_FEE, paymentMethodId: payload.income_method_id }
    }
  })

/** What an order made by hand is called that its caller did not name (contract facts 2.3): nine letters and digits. */
const newChannelId = customAlphabet("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 9)

/**
 * Creating a reservation by hand. A channel_id that was used before answers the order it made, as that is now, before
 * anything else of the call is looked at: the order's own nights are held, by itself, and its property may be gone.
 */
export const makeCreating = Effect.gen(function* () {
  const entries = yield* OrderEntryStore
  const orders = yield* Orders
  const deployment = yield* Deployment

  const enter = Effect.fnUntraced(function* (payload: Payload, at: Date) {
    const caller = yield* CurrentOperator
    const named = payload.channel_id
    for (let attempt = 1; attempt <= ORDER_ENTRY_ATTEMPTS; attempt += 1) {
      const made = { channelId: named ?? newChannelId(), at, creator: caller.accountName }
      const order = yield* Effect.fromResult(orderByHand(payload, made))
      const entered = yield* Effect.catchTag(orders.enter(caller.operatorId, order, at), "NightTaken", () => nightsHeld)
      // A name that was drawn and is another order's already says nothing about this one.
      if (entered.isNew || named !== undefined) return answerOf(entered)
    }
    return yield* Effect.die(new Error("every drawn channel_id was taken"))
  })

  return Effect.fnUntraced(function* (payload: Payload) {
    const caller = yield* CurrentOperator
    const ground = yield* entries.ground(caller.operatorId, {
      code: payload.channel_id === undefined ? undefined : manualCode(payload.channel_id),
      propertyId: payload.property_id,
      methodId: payload.income_method_id
    })
    if (ground.existing !== null) return answerOf(ground.existing)
    if (!ground.propertyKnown) return yield* noSuchProperty
    if (customChannelOf(deployment, payload.custom_channel_id) === undefined) {
      return yield* notIn("custom_channel_id", "custom_channels")
    }
    if (!ground.methodKnown && !isSystemEntry("income_methods", payload.income_method_id)) {
      return yield* notIn("income_method_id", "income_methods")
    }
    return yield* enter(payload, wholeSecond(yield* Clock.currentTimeMillis))
  })
})

/** Clients read the outcome in either place: beside the others of `data`, or in `data.reservation`. */
const answerOf = ({ code, status }: Outcome) => {
  const outcome = { reservation_code: code, status }
  return { ...outcome, reservation: outcome }
}

const noSuchProperty = new NotFound({ message: "property_id: no such property." })
const nightsHeld = new Conflict({ message: "check_in_date: the property is not free on all of these nights." })
const notIn = (field: string, dictionary: string) =>
  new ValidationFailed({ message: `${field}: is not in the dictionary GET /${dictionary}.` })
