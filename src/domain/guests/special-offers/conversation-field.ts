import type { Effect } from "effect"
import type { ChannelAccountTarget } from "../../channels/port/ChannelGateway.ts"
import {
  type ConversationRecipient,
  requireOwnConversation as callersOwn
} from "../conversations/conversation-lookup.ts"

// The conversation that a call names.

/** The field that names it. */
export const CONVERSATION_FIELD = "conversation_id"

/** What was found of it among the caller's; why there is nothing, where there is nothing. */
export const requireConversation = <Row>(row: Row | undefined, existsForAnotherOperator: Effect.Effect<boolean>) =>
  callersOwn(row, existsForAnotherOperator, CONVERSATION_FIELD)

/** The account that reaches its guest. */
export const toChannelAccountTarget = (conversation: ConversationRecipient): ChannelAccountTarget => ({
  operatorId: conversation.operator_id,
  accountId: conversation.account_id,
  channelType: conversation.channel_type
})
