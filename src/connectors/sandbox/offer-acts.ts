import { Result } from "effect"
import { NotFound } from "../../contract/errors.ts"
import type { OfferStatus, OfferType } from "../../domain/channels/port/said.ts"
import { type Becomes, type Found, offerWord, orderWord } from "./changing.ts"
import { saidWithAct } from "./due.ts"
import { policyOf, priced } from "./guest-acts.ts"
import { conflict, type Judged, type OrderSeen, orderSeen } from "./judging.ts"
import { offerWith, roomOffered, standsAt, withAllGuests } from "./offers.ts"
import { newOrder, roomAt, roomName } from "./order.ts"
import type { Offer, Thread } from "./rows.ts"
import { listingIn, takeOffered } from "./scene.ts"
import { bookedIn } from "./thread-acts.ts"

// What guests make of offers: pure rules over what was read.

/** An offer as whoever moves it is told. */
export interface OfferSeen {
  readonly offer_id: string
  readonly thread_id: string
  readonly operator_id: number
  readonly account_id: number
  readonly channel_type: string
  readonly offer_type: OfferType
  readonly status: OfferStatus
  readonly price: number
  readonly currency: string
}

const offerSeen = ({ scene: { account } }: Found, { said, status }: Offer): OfferSeen => ({
  offer_id: said.offer_id,
  thread_id: said.thread_id,
  operator_id: account.operator_id,
  account_id: account.account_id,
  channel_type: account.channel_type,
  offer_type: said.offer_type,
  status,
  price: said.price,
  currency: said.currency
})

interface InThread {
  readonly offer: Offer
  readonly thread: Thread
}

const offerIn = ({ offer, thread }: Found): Judged<InThread> =>
  offer === undefined || thread === undefined
    ? Result.fail(new NotFound({ message: "offer_id: no such offer." }))
    : Result.succeed({ offer, thread })

/** One that is good by the clock. */
const activeIn = (found: Found): Judged<InThread> =>
  Result.flatMap(offerIn(found), (both) => {
    const status = standsAt(both.offer, found.scene.now)
    return status === "active" ? Result.succeed(both) : conflict(`offer_id: the offer is ${status}.`)
  })

/** The guest accepts: it is booked at once, a special offer at its price and a pre-approval at what it costs now. */
export const accepting =
  (orderId: string) =>
  (found: Found): Judged<Becomes<OrderSeen>> =>
    Result.gen(function* () {
      const { offer, thread } = yield* activeIn(found)
      const { account, now } = found.scene
      const asked = roomOffered(offer)
      const { changed } = yield* takeOffered(found.scene, asked)
      const { listing } = yield* listingIn(found.scene, asked.listing_id)
      const room =
        offer.said.offer_type === "preapproval"
          ? yield* priced(found.scene, asked, roomName(1))
          : roomAt(offer.said.price, account.channel_type, listing, asked, roomName(1))
      const { guest } = thread.said
      const booked = yield* bookedIn(found, guest, { threadId: thread.thread_id, isFull: false })
      const order = newOrder(
        {
          orderId,
          instant: true,
          currency: listing.currency,
          booker: guest,
          remarks: undefined,
          policy: policyOf(found.scene, listing),
          threadId: thread.thread_id,
          rooms: [withAllGuests(room, offer)]
        },
        now
      )
      const accepted = offerWith(offer, "accepted")
      const due = saidWithAct(now)
      const writing = {
        threads: [{ before: thread, after: booked.thread }],
        order: { before: undefined, after: order },
        offers: [accepted],
        days: Array.from(changed.values()),
        words: [...booked.told.words, orderWord(order, due), offerWord(accepted, due)]
      }
      return { writing, answer: orderSeen(found, order, 0n) }
    })

const ended = (found: Found, { offer, thread }: InThread, status: OfferStatus): Becomes<OfferSeen> => {
  const after = offerWith(offer, status)
  const words = [offerWord(after, saidWithAct(found.scene.now))]
  return {
    writing: { threads: [{ before: thread, after: thread }], offers: [after], words },
    answer: offerSeen(found, after)
  }
}

export const decliningOffer = (found: Found): Judged<Becomes<OfferSeen>> =>
  Result.map(activeIn(found), (both) => ended(found, both, "declined"))

/** Its time is over. */
export const lettingExpire = (found: Found): Judged<Becomes<OfferSeen>> =>
  Result.flatMap(offerIn(found), (both) =>
    both.offer.status === "active" && standsAt(both.offer, found.scene.now) === "expired"
      ? Result.succeed(ended(found, both, "expired"))
      : conflict(`offer_id: the offer is ${both.offer.status}.`)
  )
