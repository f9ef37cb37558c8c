import { Effect, Layer } from "effect"
import { CurrentOperator } from "../../../contract/caller.ts"
import { pageOf } from "../../../contract/page.ts"
import { handled, layerHandled } from "../../handled.ts"
import { ChannelAccountOperations, type search_channel_accounts } from "./contract.ts"
import { ChannelAccountStore } from "./store.ts"

const searchChannelAccounts = (store: ChannelAccountStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof search_channel_accounts.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const found = yield* store.search(operatorId, payload, pageOf(payload))
    return { channel_accounts: found.rows, total: found.total }
  })

export const layerChannelAccounts = layerHandled(
  Effect.map(ChannelAccountStore, (store) =>
    handled(ChannelAccountOperations, { search_channel_accounts: searchChannelAccounts(store) })
  )
).pipe(Layer.provide(ChannelAccountStore.layer))
