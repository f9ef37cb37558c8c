import { Schema } from "effect"
import { Id } from "../../../contract/fields.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import { pageFields } from "../../../contract/page.ts"
import { AuthStatus } from "../port/channel-events.ts"
import { ChannelType } from "../port/channel-type.ts"

// Accounts at channels (specification, "Channel account"; contract facts 6.7).

export const ChannelAccount = Schema.Struct({
  id: Id,
  channel_type: Schema.String,
  username: Schema.String,
  origin_account_id: Schema.String.annotateKey({ description: "The channel's own id of the account." }),
  auth_status: AuthStatus.annotateKey({
    description:
      "Only an `active` one can be acted for for certain; a `disconnected` one no longer lets the service in."
  }),
  created_at: Schema.String
})
export type ChannelAccount = typeof ChannelAccount.Type

const operation = defineFamily({ category: "property", since: "3.4.0", openWorld: false })

export const search_channel_accounts = operation("search_channel_accounts", {
  route: "GET /channel_accounts",
  summary: "List accounts at channels",
  payload: { id: Schema.optionalKey(Id), channel_type: Schema.optionalKey(ChannelType), ...pageFields },
  success: Schema.Struct({ channel_accounts: Schema.Array(ChannelAccount), total: Schema.Int }),
  exposure: toolMetadata(
    "Lists the host's accounts at channels and whether each still lets the service in (auth_status). Booking sites are not among them.",
    ["Which channels am I connected to?", "Is my Airbnb account still connected?"],
    false
  )
})

export const ChannelAccountOperations = { search_channel_accounts }
