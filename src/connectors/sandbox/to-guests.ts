import { Effect } from "effect"
import type { AccountThere, Connector, OfferThere } from "../../domain/channels/port/connector.ts"
import { makeAnswering, orAway } from "./answering.ts"
import { makeChanging } from "./changing.ts"
import { hostReviewing, offering, sending, withdrawing } from "./host-words.ts"
import { drawOfferName } from "./names.ts"

// The part of the connector that is meant for guests.

const SUMMARY = 100

/** A text in a line. */
const lineOf = (text: string): string => {
  const line = Array.from(text.slice(0, 2 * SUMMARY))
    .slice(0, SUMMARY)
    .join("")
  return line.length < text.length ? `${line} …` : line
}

const offerLine = ({ offerType, price, checkInDate, checkOutDate, listingId }: OfferThere): string =>
  `${offerType}${price === null ? "" : ` for ${price}`}, listing ${listingId}, ${checkInDate} to ${checkOutDate}`

export const toGuests = Effect.gen(function* () {
  const answering = yield* makeAnswering
  const changing = yield* makeChanging
  const act = (name: keyof Connector, subject: string, summary: string) => ({
    act: name,
    subject,
    summary,
    changes: true
  })
  return {
    sendMessage: (there: AccountThere, message) =>
      answering(there, act("sendMessage", message.threadId, lineOf(message.text)), (account) =>
        orAway(
          changing(account, { thread: { threadId: message.threadId }, sentAs: message.messageId }, sending(message))
        )
      ),
    sendOffer: (there: AccountThere, offer) =>
      answering(there, act("sendOffer", offer.threadId, offerLine(offer)), (account) =>
        Effect.flatMap(drawOfferName, (offerId) =>
          orAway(
            changing(
              account,
              {
                thread: { threadId: offer.threadId },
                offer: { reference: offer.reference },
                listings: [offer.listingId],
                days: { start: offer.checkInDate, end: offer.checkOutDate }
              },
              offering(offer, offerId)
            )
          )
        )
      ),
    withdrawOffer: (there: AccountThere, { threadId, offerId }) =>
      answering(there, act("withdrawOffer", threadId, offerId), (account) =>
        orAway(changing(account, { thread: { threadId }, offer: { offerId } }, withdrawing(threadId)))
      ),
    writeReview: (there: AccountThere, review) =>
      answering(
        there,
        act("writeReview", review.channelId, lineOf(review.review?.content ?? review.reply ?? "")),
        (account) => orAway(changing(account, { orderId: review.channelId, reviews: true }, hostReviewing(review)))
      )
  } satisfies Pick<Connector, "sendMessage" | "sendOffer" | "withdrawOffer" | "writeReview">
})
