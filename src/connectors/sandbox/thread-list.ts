import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import {
  ChannelMessageEvent,
  ChannelOfferEvent,
  ChannelThreadEvent
} from "../../domain/channels/port/channel-events.ts"
import { accountColumns, makePagedList } from "./paged-lists.ts"
import { SandboxAccount } from "./rows.ts"

const LISTED_MESSAGES = 20
const LISTED_OFFERS = 5

const SandboxThreadRow = Schema.Struct({
  ...SandboxAccount.fields,
  operator: Schema.String,
  thread_id: Schema.String,
  said: ChannelThreadEvent,
  last_message_at: Schema.Date,
  messages: Schema.Int,
  conversation_id: Schema.NullOr(Schema.String),
  /** Oldest first. */
  written: Schema.Array(Schema.Struct({ said: ChannelMessageEvent, heard: Schema.NullOr(Schema.String) })),
  /** Latest first. */
  offers: Schema.Array(ChannelOfferEvent)
})
export type SandboxThreadRow = typeof SandboxThreadRow.Type

export const makeListThreads = (sql: SqlClient.SqlClient) =>
  makePagedList(
    sql,
    SandboxThreadRow,
    sql`${sql.literal(accountColumns)}, o.name AS operator, t.thread_id, t.said, t.last_message_at, t.messages,
      known.code AS conversation_id,
      coalesce((SELECT jsonb_agg(jsonb_build_object('said', m.said, 'heard', (SELECT heard FROM sandbox_words
          WHERE operator_id = t.operator_id AND account_id = t.account_id AND kind = 'message'
            AND subject = m.said ->> 'message_id')) ORDER BY m.number) FROM (
          SELECT said, number FROM sandbox_messages
          WHERE operator_id = t.operator_id AND account_id = t.account_id AND thread_id = t.thread_id
          ORDER BY number DESC LIMIT ${sql.literal(String(LISTED_MESSAGES))}) m), '[]') AS written,
      coalesce((SELECT jsonb_agg(offer.said ORDER BY offer.expires_at DESC, offer.offer_id) FROM (
          SELECT said, expires_at, offer_id FROM sandbox_offers
          WHERE operator_id = t.operator_id AND account_id = t.account_id AND thread_id = t.thread_id
          ORDER BY expires_at DESC, offer_id LIMIT ${sql.literal(String(LISTED_OFFERS))}) offer), '[]') AS offers`,
    {
      from: sql`sandbox_threads t
        JOIN channel_accounts a ON a.operator_id = t.operator_id AND a.id = t.account_id
        JOIN operators o ON o.id = a.operator_id
        LEFT JOIN conversations known ON known.operator_id = t.operator_id AND known.account_id = t.account_id
          AND known.thread_id = t.thread_id`,
      orderBy: sql`t.last_message_at DESC, t.operator_id, t.thread_id`
    }
  )
