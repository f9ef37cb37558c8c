import { Schema } from "effect"
import { Id } from "../../../contract/fields.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"

// Contract facts 2.8.

export const CustomChannel = Schema.Struct({
  id: Id.annotateKey({
    documentation:
      "Value of `custom_channel_id`. Built-in sources have the ids 29 to 35. No id ever changes its meaning."
  }),
  name: Schema.String.annotateKey({ documentation: "Name of the source." })
})
export type CustomChannel = typeof CustomChannel.Type

const operation = defineFamily({ category: "meta", since: "3.4.0", openWorld: false })

export const query_custom_channels = operation("query_custom_channels", {
  route: "GET /custom_channels",
  summary: "List the sources of reservations made by hand",
  payload: {},
  success: Schema.Struct({
    custom_channels: Schema.Array(CustomChannel).annotateKey({ documentation: "All sources that this deployment has." })
  }),
  exposure: toolMetadata(
    "Lists ids and names of the sources a reservation made by hand can name, such as telephone or walk-in. Keep them for an hour.",
    ["Which channels can I book a phone reservation under?"],
    false
  )
})

export const CustomChannelOperations = { query_custom_channels }
