import { Effect } from "effect"
import type { Connector, OutboundOffer, RemoteAccount } from "../../domain/channels/port/connector.ts"
import { createOfferRule, sendMessageRule, withdrawOfferRule, writeHostReviewRule } from "./host-communication-rules.ts"
import { generateOfferId } from "./id-generation.ts"
import { makeRequestHandler, mapConflictToUnavailable } from "./request-handler.ts"
import { makeRuleRunner } from "./rule-runner.ts"

const SUMMARY_LENGTH = 100

const toSummaryLine = (text: string): string => {
  const line = Array.from(text.slice(0, 2 * SUMMARY_LENGTH))
    .slice(0, SUMMARY_LENGTH)
    .join("")
  return line.length < text.length ? `${line} …` : line
}

const summarizeOffer = ({ offerType, price, checkInDate, checkOutDate, listingId }: OutboundOffer): string =>
  `${offerType}${price === null ? "" : ` for ${price}`}, listing ${listingId}, ${checkInDate} to ${checkOutDate}`

export const makeCommunicationMethods = Effect.gen(function* () {
  const handleRequest = yield* makeRequestHandler
  const runRule = yield* makeRuleRunner
  const toRequestInfo = (name: keyof Connector, subject: string, summary: string) => ({
    act: name,
    subject,
    summary,
    isChange: true
  })
  return {
    sendMessage: (remoteAccount: RemoteAccount, message) =>
      handleRequest(
        remoteAccount,
        toRequestInfo("sendMessage", message.threadId, toSummaryLine(message.text)),
        (account) =>
          mapConflictToUnavailable(
            runRule(
              account,
              { thread: { threadId: message.threadId }, hostMessageId: message.messageId },
              sendMessageRule(message)
            )
          )
      ),
    sendOffer: (remoteAccount: RemoteAccount, offer) =>
      handleRequest(remoteAccount, toRequestInfo("sendOffer", offer.threadId, summarizeOffer(offer)), (account) =>
        Effect.flatMap(generateOfferId, (offerId) =>
          mapConflictToUnavailable(
            runRule(
              account,
              {
                thread: { threadId: offer.threadId },
                offer: { reference: offer.reference },
                listings: [offer.listingId],
                days: { start: offer.checkInDate, end: offer.checkOutDate }
              },
              createOfferRule(offer, offerId)
            )
          )
        )
      ),
    withdrawOffer: (remoteAccount: RemoteAccount, { threadId, offerId }) =>
      handleRequest(remoteAccount, toRequestInfo("withdrawOffer", threadId, offerId), (account) =>
        mapConflictToUnavailable(
          runRule(account, { thread: { threadId }, offer: { offerId } }, withdrawOfferRule(threadId))
        )
      ),
    writeReview: (remoteAccount: RemoteAccount, review) =>
      handleRequest(
        remoteAccount,
        toRequestInfo("writeReview", review.channelId, toSummaryLine(review.review?.content ?? review.reply ?? "")),
        (account) =>
          mapConflictToUnavailable(
            runRule(account, { orderId: review.channelId, includesReview: true }, writeHostReviewRule(review))
          )
      )
  } satisfies Pick<Connector, "sendMessage" | "sendOffer" | "withdrawOffer" | "writeReview">
})
