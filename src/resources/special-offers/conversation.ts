import { Effect } from "effect"
import type { AccountMeant } from "../../channels/ChannelGateway.ts"
import { CurrentOperator } from "../../contract/caller.ts"
import { ownConversation as callersOwn, type NamedConversation } from "../conversations/known-conversation.ts"

// The conversation that a call names.

/** The field that names it. */
export const CONVERSATION = "conversation_id"

/** What was found of it, if it is the caller's. */
export const ownConversation = <Row extends Pick<NamedConversation, "operator_id">>(row: Row | undefined) =>
  Effect.flatMap(CurrentOperator, ({ operatorId }) => Effect.fromResult(callersOwn(row, operatorId, CONVERSATION)))

/** The account that reaches its guest. */
export const accountOf = (conversation: NamedConversation): AccountMeant => ({
  operatorId: conversation.operator_id,
  accountId: conversation.account_id,
  channelType: conversation.channel_type
})
