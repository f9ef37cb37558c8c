import { DateTime, Effect, Layer } from "effect"
import { IdempotencyKeys } from "../../../changes/Keys.ts"
import { runAtMostOnce } from "../../../changes/outward.ts"
import { CurrentCaller } from "../../../contract/caller.ts"
import { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import { handleOperations, layerOperations, voidChangeHandler } from "../../handled.ts"
import { SpecialOfferOperations, type search_special_offers } from "./contract.ts"
import { requireConversation } from "./conversation.ts"
import { currentStatus } from "./rules/standing.ts"
import { sendPreapproval, sendSpecialOffer } from "./sending.ts"
import { SpecialOfferStore } from "./store.ts"
import { withdrawSpecialOffer } from "./withdrawing.ts"

export const layerSpecialOffers = layerOperations(
  Effect.gen(function* () {
    const [store, gateway] = [yield* SpecialOfferStore, yield* ChannelGateway]
    const runOutwardAct = runAtMostOnce(yield* IdempotencyKeys)
    return handleOperations(SpecialOfferOperations, {
      search_special_offers: searchSpecialOffers(store),
      send_special_offer: voidChangeHandler(sendSpecialOffer(store, gateway, runOutwardAct)),
      send_preapproval: voidChangeHandler(sendPreapproval(store, gateway, runOutwardAct)),
      withdraw_special_offer: voidChangeHandler(withdrawSpecialOffer(store, gateway, runOutwardAct))
    })
  })
).pipe(Layer.provide(SpecialOfferStore.layer))

const searchSpecialOffers = (store: SpecialOfferStore["Service"]) =>
  Effect.fnUntraced(function* ({ conversation_id }: typeof search_special_offers.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const { offers } = yield* requireConversation(
      yield* store.listOffers(operatorId, conversation_id),
      store.existsForAnyOperator(conversation_id)
    )
    const now = yield* DateTime.nowAsDate
    return {
      special_offers: offers.map(({ expires_at, ...offer }) => ({
        ...offer,
        status: currentStatus(offer.status, expires_at, now)
      }))
    }
  })
