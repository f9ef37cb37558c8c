import { Effect } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { toPage } from "../../../contract/page.ts"
import { handleOperations, layerOperations } from "../../operation-handlers.ts"
import { ChannelAccountOperations, type search_channel_accounts } from "./contract.ts"
import { ChannelAccountStore } from "./store.ts"

const searchChannelAccounts = (store: ChannelAccountStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof search_channel_accounts.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const page = yield* store.search(operatorId, payload, toPage(payload))
    return { channel_accounts: page.rows, total: page.total }
  })

export const layerChannelAccounts = layerOperations(
  Effect.map(ChannelAccountStore, (store) =>
    handleOperations(ChannelAccountOperations, { search_channel_accounts: searchChannelAccounts(store) })
  )
)
