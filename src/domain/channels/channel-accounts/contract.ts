import { Schema } from "effect"
import { Id } from "../../../contract/fields.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import { PageTotal, pageFields } from "../../../contract/page.ts"
import { AuthStatus } from "../port/channel-events.ts"
import { ChannelType } from "../port/channel-type.ts"

// Specification, "Channel account"; contract facts 6.7.

export const ChannelAccount = Schema.Struct({
  id: Id.annotateKey({ documentation: "Id of the account. search_listings takes it as `channel_account_id`." }),
  channel_type: Schema.String.annotateKey({ documentation: "Channel of the account." }),
  username: Schema.String.annotateKey({ documentation: "Name of the account on the channel." }),
  origin_account_id: Schema.String.annotateKey({ documentation: "The channel's own id of the account." }),
  auth_status: AuthStatus.annotateKey({
    documentation:
      "`active`: the channel gives the service access. `connecting`: access is being set up. `disconnected`: no access; calls that act there return 400. `exception`: the host must look at the account on the channel."
  }),
  created_at: Schema.String.annotateKey({ documentation: "When the account was connected, ISO 8601 UTC." })
})
export type ChannelAccount = typeof ChannelAccount.Type

const operation = defineFamily({ category: "property", since: "3.4.0", openWorld: false })

export const search_channel_accounts = operation("search_channel_accounts", {
  route: "GET /channel_accounts",
  summary: "List channel accounts",
  details: "The host's own booking site (`booking_site`) is not listed, whatever the filter.",
  payload: {
    id: Schema.optionalKey(Id).annotateKey({
      documentation: "Only the account with this id. The list is empty if there is none."
    }),
    channel_type: Schema.optionalKey(ChannelType).annotateKey({ documentation: "Only accounts on this channel." }),
    ...pageFields
  },
  success: Schema.Struct({
    channel_accounts: Schema.Array(ChannelAccount).annotateKey({ documentation: "Accounts of the host on channels." }),
    total: PageTotal
  }),
  exposure: toolMetadata(
    "Lists the host's accounts at channels and whether each still lets the service in (auth_status). Booking sites are not among them.",
    ["Which channels am I connected to?", "Is my Airbnb account still connected?"],
    false
  )
})

export const ChannelAccountOperations = { search_channel_accounts }
