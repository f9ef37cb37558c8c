import { DateTime, Effect } from "effect"
import type { runAtMostOnce } from "../../../changes/external-action.ts"
import { CurrentCaller } from "../../../contract/caller.ts"
import { NotFound } from "../../../contract/errors.ts"
import type { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import {
  CHANNEL_ACTION_TIMEOUT_MS,
  type ChannelApiError,
  withChannelTimeout
} from "../../channels/port/channel-api-errors.ts"
import type { withdraw_special_offer } from "./contract.ts"
import { requireConversation, toChannelAccountTarget } from "./conversation-field.ts"
import { externalActionStateAfter } from "./offer-sending.ts"
import { checkOfferActive, resolveOfferStatus } from "./rules/offer-status.ts"
import type { SpecialOfferStore } from "./store.ts"

const OFFER_FIELD = "special_offer_id"

/** Calls the channel first, because the channel refuses if the guest accepts at the same moment. */
export const withdrawSpecialOffer = (
  store: SpecialOfferStore["Service"],
  gateway: ChannelGateway["Service"],
  runExternalAction: ReturnType<typeof runAtMostOnce>
) =>
  Effect.fnUntraced(function* (payload: typeof withdraw_special_offer.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const { conversation_id, special_offer_id: offerId } = payload
    const conversation = yield* requireConversation(
      yield* store.findOffer(operatorId, conversation_id, offerId),
      store.conversationExists(conversation_id)
    )
    if (conversation.offer === null) return yield* offerNotFoundError
    const { id, status, expires_at } = conversation.offer
    const offerStatus = resolveOfferStatus(status, expires_at, yield* DateTime.nowAsDate)
    const remoteOffer = { threadId: conversation.thread_id, offerId }
    yield* runExternalAction<ChannelApiError, never>({
      check: Effect.fromResult(checkOfferActive(offerStatus)),
      run: withChannelTimeout(gateway.withdrawOffer(toChannelAccountTarget(conversation), remoteOffer), OFFER_FIELD),
      // Calling the channel again is safe.
      hasHappened: Effect.succeed(offerStatus === "withdrawn"),
      maxDurationMs: CHANNEL_ACTION_TIMEOUT_MS,
      stateAfterError: externalActionStateAfter
    })
    yield* store.withdrawOffer(operatorId, id)
  })

const offerNotFoundError = new NotFound({ message: `${OFFER_FIELD}: the conversation has no such offer.` })
