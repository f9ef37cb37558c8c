import { Schema } from "effect"
import { Id } from "../../../contract/fields.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"

// Where an order came from that no connected channel brought (contract facts 2.8).

export const CustomChannel = Schema.Struct({ id: Id, name: Schema.String })
export type CustomChannel = typeof CustomChannel.Type

const operation = defineFamily({ category: "meta", since: "3.4.0", openWorld: false })

export const query_custom_channels = operation("query_custom_channels", {
  route: "GET /custom_channels",
  summary: "The dictionary of custom channels",
  payload: {},
  success: Schema.Struct({ custom_channels: Schema.Array(CustomChannel) }),
  exposure: toolMetadata(
    "Lists ids and names of the sources a reservation made by hand can name, such as telephone or walk-in. Keep them for an hour.",
    ["Which channels can I book a phone reservation under?"],
    false
  )
})

export const CustomChannelOperations = { query_custom_channels }
