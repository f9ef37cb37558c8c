import type { Effect } from "effect"
import type { AccountMeant } from "../../channels/port/ChannelGateway.ts"
import { ownConversation as callersOwn, type NamedConversation } from "../conversations/known-conversation.ts"

// The conversation that a call names.

/** The field that names it. */
export const CONVERSATION = "conversation_id"

/** What was found of it among the caller's; why there is nothing, where there is nothing. */
export const ownConversation = <Row>(row: Row | undefined, isAnothers: Effect.Effect<boolean>) =>
  callersOwn(row, isAnothers, CONVERSATION)

/** The account that reaches its guest. */
export const accountOf = (conversation: NamedConversation): AccountMeant => ({
  operatorId: conversation.operator_id,
  accountId: conversation.account_id,
  channelType: conversation.channel_type
})
