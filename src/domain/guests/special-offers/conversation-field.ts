import type { Effect } from "effect"
import type { ChannelAccountTarget } from "../../channels/port/ChannelGateway.ts"
import {
  type ConversationRecipient,
  requireOwnConversation as callersOwn
} from "../conversations/conversation-lookup.ts"

export const CONVERSATION_FIELD = "conversation_id"

export const requireConversation = <Row>(row: Row | undefined, existsForAnotherOperator: Effect.Effect<boolean>) =>
  callersOwn(row, existsForAnotherOperator, CONVERSATION_FIELD)

export const toChannelAccountTarget = (conversation: ConversationRecipient): ChannelAccountTarget => ({
  operatorId: conversation.operator_id,
  accountId: conversation.account_id,
  channelType: conversation.channel_type
})
