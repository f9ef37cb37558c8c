import { DateTime, Effect, Layer } from "effect"
import { Keys } from "../../../changes/Keys.ts"
import { atMostOnce } from "../../../changes/outward.ts"
import { CurrentOperator } from "../../../contract/caller.ts"
import { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import { done, handled, layerHandled } from "../../handled.ts"
import { SpecialOfferOperations, type search_special_offers } from "./contract.ts"
import { ownConversation } from "./conversation.ts"
import { standing } from "./rules/standing.ts"
import { sendPreapproval, sendSpecialOffer } from "./sending.ts"
import { SpecialOfferStore } from "./store.ts"
import { withdrawSpecialOffer } from "./withdrawing.ts"

export const layerSpecialOffers = layerHandled(
  Effect.gen(function* () {
    const [store, gateway] = [yield* SpecialOfferStore, yield* ChannelGateway]
    const outward = atMostOnce(yield* Keys)
    return handled(SpecialOfferOperations, {
      search_special_offers: searchSpecialOffers(store),
      send_special_offer: done(sendSpecialOffer(store, gateway, outward)),
      send_preapproval: done(sendPreapproval(store, gateway, outward)),
      withdraw_special_offer: done(withdrawSpecialOffer(store, gateway, outward))
    })
  })
).pipe(Layer.provide(SpecialOfferStore.layer))

const searchSpecialOffers = (store: SpecialOfferStore["Service"]) =>
  Effect.fnUntraced(function* ({ conversation_id }: typeof search_special_offers.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const { offers } = yield* ownConversation(
      yield* store.shown(operatorId, conversation_id),
      store.isAnyones(conversation_id)
    )
    const now = yield* DateTime.nowAsDate
    return {
      special_offers: offers.map(({ expires_at, ...offer }) => ({
        ...offer,
        status: standing(offer.status, expires_at, now)
      }))
    }
  })
