import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { newPublicCode } from "../../src/domain/guests/conversations/conversation-lookup.ts"

/** A thread at a channel, as a row: for tests of what happens in one. */
export interface ConversationOptions {
  readonly operatorId: number
  readonly accountId: number
  readonly channelType: string
  /** What its guest asks about. */
  readonly inquiry?: {
    readonly listingId: string
    readonly checkInDate: string
    readonly checkOutDate: string
    readonly adults?: number
  }
}

/** Enters a conversation and answers what callers name it by, and its channel. */
export const insertConversation = Effect.fnUntraced(function* (options: ConversationOptions) {
  const sql = yield* SqlClient.SqlClient
  const [code, thread_id] = [newPublicCode(), `T-${newPublicCode()}`]
  const { inquiry } = options
  yield* sql`
    INSERT INTO conversations (operator_id, code, account_id, channel_type, thread_id, version, guest_name,
      inquiry_listing_id, inquiry_check_in_date, inquiry_check_out_date, inquiry_adults, last_message_at, created_at)
    VALUES (${options.operatorId}, ${code}, ${options.accountId}, ${options.channelType}, ${thread_id}, 1, 'Ada Lovelace',
      ${inquiry?.listingId ?? null}, ${inquiry?.checkInDate ?? null}, ${inquiry?.checkOutDate ?? null},
      ${inquiry === undefined ? null : (inquiry.adults ?? 2)}, now(), now())`
  return { code, thread_id }
}, Effect.orDie)
