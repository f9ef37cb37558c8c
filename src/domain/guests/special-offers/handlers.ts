import { DateTime, Effect } from "effect"
import { runAtMostOnce } from "../../../changes/external-action.ts"
import { IdempotencyKeys } from "../../../changes/IdempotencyKeys.ts"
import { CurrentCaller } from "../../../contract/caller.ts"
import { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import { handleOperations, layerOperations, voidChangeHandler } from "../../operation-handlers.ts"
import { SpecialOfferOperations, type search_special_offers } from "./contract.ts"
import { requireConversation } from "./conversation-field.ts"
import { sendPreapproval, sendSpecialOffer } from "./offer-sending.ts"
import { withdrawSpecialOffer } from "./offer-withdrawal.ts"
import { resolveOfferStatus } from "./rules/offer-status.ts"
import { SpecialOfferStore } from "./store.ts"

export const layerSpecialOffers = layerOperations(
  Effect.gen(function* () {
    const [store, gateway] = [yield* SpecialOfferStore, yield* ChannelGateway]
    const runExternalAction = runAtMostOnce(yield* IdempotencyKeys)
    return handleOperations(SpecialOfferOperations, {
      search_special_offers: searchSpecialOffers(store),
      send_special_offer: voidChangeHandler(sendSpecialOffer(store, gateway, runExternalAction)),
      send_preapproval: voidChangeHandler(sendPreapproval(store, gateway, runExternalAction)),
      withdraw_special_offer: voidChangeHandler(withdrawSpecialOffer(store, gateway, runExternalAction))
    })
  })
)

const searchSpecialOffers = (store: SpecialOfferStore["Service"]) =>
  Effect.fnUntraced(function* ({ conversation_id }: typeof search_special_offers.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const { offers } = yield* requireConversation(
      yield* store.listOffers(operatorId, conversation_id),
      store.conversationExists(conversation_id)
    )
    const now = yield* DateTime.nowAsDate
    return {
      special_offers: offers.map(({ expires_at, ...offer }) => ({
        ...offer,
        status: resolveOfferStatus(offer.status, expires_at, now)
      }))
    }
  })
