import { DateTime, Effect } from "effect"
import type { atMostOnce } from "../../../changes/outward.ts"
import { CurrentOperator } from "../../../contract/caller.ts"
import { NotFound } from "../../../contract/errors.ts"
import { inTime, OUTWARD_ACT_MS, type RefusedByChannel } from "../../channels/port/api-errors.ts"
import type { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import type { withdraw_special_offer } from "./contract.ts"
import { accountOf, ownConversation } from "./conversation.ts"
import { standing, stillActive } from "./rules/standing.ts"
import { leftBy } from "./sending.ts"
import type { SpecialOfferStore } from "./store.ts"

/** The field of a call that names the offer. */
const OFFER = "special_offer_id"

/** The channel is told first: where the guest accepts in that moment it refuses, and says itself what the offer is. */
export const withdrawSpecialOffer = (
  store: SpecialOfferStore["Service"],
  gateway: ChannelGateway["Service"],
  outward: ReturnType<typeof atMostOnce>
) =>
  Effect.fnUntraced(function* (payload: typeof withdraw_special_offer.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const { conversation_id, special_offer_id: offerId } = payload
    const found = yield* ownConversation(
      yield* store.found(operatorId, conversation_id, offerId),
      store.isAnyones(conversation_id)
    )
    if (found.offer === null) return yield* noSuchOffer
    const { id, status, expires_at } = found.offer
    const stands = standing(status, expires_at, yield* DateTime.nowAsDate)
    const there = { threadId: found.thread_id, offerId }
    yield* outward<RefusedByChannel, never>({
      check: Effect.fromResult(stillActive(stands)),
      act: inTime(gateway.withdrawOffer(accountOf(found), there), OFFER),
      // Else it is done again, which is safe.
      happened: Effect.succeed(stands === "withdrawn"),
      lastsMs: OUTWARD_ACT_MS,
      leaves: leftBy
    })
    yield* store.withdraw(operatorId, id)
  })

const noSuchOffer = new NotFound({ message: `${OFFER}: the conversation has no such offer.` })
