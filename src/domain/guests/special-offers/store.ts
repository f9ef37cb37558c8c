import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { columnNames, rowParameterSql } from "../../../platform/database/columns.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { OfferStatus } from "../../channels/port/channel-events.ts"
import type { RowId } from "../../column-schemas.ts"
import { type OperatorScoped, readRowId } from "../../operator-rows.ts"
import {
  ConversationRecipient,
  conversationByCodeSql,
  conversationExists
} from "../conversations/conversation-lookup.ts"
import { changedOffersSql, type NewOffer, NewOfferColumns } from "./offer-columns.ts"
import { hasNoFreePropertyCondition, type NightRange, offersJson, SpecialOfferRow } from "./offer-sql.ts"
import { listPreviousStatuses } from "./rules/offer-status.ts"

type Sql = SqlClient.SqlClient

const ConversationOffersRow = Schema.toCodecJson(
  Schema.Struct({
    operator_id: Schema.Int,
    offers: Schema.Array(SpecialOfferRow)
  })
)
type ConversationOffers = typeof ConversationOffersRow.Type
const readConversationOffers = makeOptionalRowReader(ConversationOffersRow)

interface ConversationKey extends OperatorScoped {
  readonly code: string
}

const listOffers = (sql: Sql) => (operatorId: number, code: string) =>
  readConversationOffers(sql`
      SELECT c.operator_id, ${offersJson(sql, operatorId, sql`c`)} AS offers
      FROM (${conversationByCodeSql(sql, operatorId, code)}) c`)

interface OfferedStay extends NightRange {
  readonly listingId: string | Fragment
}

const preconditionFields = { listing_currency: Schema.NullOr(Schema.String), nights_taken: Schema.Boolean }

const selectPreconditions = (
  sql: Sql,
  { operatorId, code }: ConversationKey,
  offer: OfferedStay,
  moreColumns: Fragment
): Fragment => sql`
  SELECT c.operator_id, c.id, c.account_id, c.channel_type, c.thread_id, l.currency AS listing_currency, ${moreColumns}
    ${hasNoFreePropertyCondition(sql, operatorId, sql`l`, offer)} AS nights_taken
  FROM (${conversationByCodeSql(sql, operatorId, code)}) c
  LEFT JOIN listings l ON l.operator_id = ${operatorId} AND l.account_id = c.account_id
    AND l.channel_type = c.channel_type AND l.listing_id = ${offer.listingId}`

const OfferPreconditions = Schema.Struct({ ...ConversationRecipient.fields, ...preconditionFields })
type OfferPreconditions = typeof OfferPreconditions.Type
const readPreconditions = makeOptionalRowReader(OfferPreconditions)

interface OfferedListing {
  readonly listing_id: string
  readonly check_in_date: string
  readonly check_out_date: string
}

const findPreconditions =
  (sql: Sql) =>
  (operatorId: number, code: string, { listing_id, check_in_date, check_out_date }: OfferedListing) =>
    readPreconditions(
      sql`${selectPreconditions(
        sql,
        { operatorId, code },
        { listingId: listing_id, from: check_in_date, before: check_out_date },
        sql``
      )}`
    )

const InquiryPreconditions = Schema.Struct({
  ...OfferPreconditions.fields,
  inquiry: Schema.NullOr(
    Schema.Struct({
      listing_id: Schema.String,
      check_in_date: Schema.String,
      check_out_date: Schema.String,
      number_of_adults: Schema.Int,
      number_of_children: Schema.Int,
      number_of_infants: Schema.Int,
      number_of_pets: Schema.Int
    })
  )
})
type InquiryPreconditions = typeof InquiryPreconditions.Type
const readInquiryPreconditions = makeOptionalRowReader(InquiryPreconditions)

const findInquiryPreconditions = (sql: Sql) => (operatorId: number, code: string) =>
  readInquiryPreconditions(
    sql`${selectPreconditions(
      sql,
      { operatorId, code },
      {
        listingId: sql`c.inquiry_listing_id`,
        from: sql`c.inquiry_check_in_date`,
        before: sql`c.inquiry_check_out_date`
      },
      sql`
        CASE WHEN c.inquiry_listing_id IS NOT NULL AND c.inquiry_check_in_date IS NOT NULL
          AND c.inquiry_check_out_date IS NOT NULL THEN jsonb_build_object(
            'listing_id', c.inquiry_listing_id, 'check_in_date', c.inquiry_check_in_date,
            'check_out_date', c.inquiry_check_out_date, 'number_of_adults', coalesce(c.inquiry_adults, 1),
            'number_of_children', coalesce(c.inquiry_children, 0),
            'number_of_infants', coalesce(c.inquiry_infants, 0), 'number_of_pets', coalesce(c.inquiry_pets, 0))
        END AS inquiry,`
    )}`
  )

const recordOffer = (sql: Sql) => (operatorId: number, conversationId: number, offer: NewOffer) =>
  readRowId(
    recordChange(sql, {
      change: sql`
        after AS (
          INSERT INTO special_offers AS o (operator_id, conversation_id, ${sql.literal(columnNames(NewOfferColumns))})
          SELECT ${operatorId}::bigint, ${conversationId}::bigint, ${sql.literal(columnNames(NewOfferColumns, "given"))}
          FROM ${rowParameterSql(sql, NewOfferColumns, offer)}
          ON CONFLICT ON CONSTRAINT special_offers_of_channel DO UPDATE SET offer_id = o.offer_id
          RETURNING o.operator_id, o.id, o.offer_id
        )`,
      events: [],
      changedRecords: changedOffersSql(sql, sql`after`, sql`'{}'::text[]`),
      outcome: sql`SELECT id FROM after`
    })
  )

const ConversationOfferRow = Schema.Struct({
  ...ConversationRecipient.fields,
  offer: Schema.NullOr(Schema.Struct({ id: Schema.Int, status: OfferStatus, expires_at: Schema.Date }))
})
type ConversationOffer = typeof ConversationOfferRow.Type
const readConversationOffer = makeOptionalRowReader(Schema.toCodecJson(ConversationOfferRow))

const findOffer = (sql: Sql) => (operatorId: number, code: string, offer_id: string) =>
  readConversationOffer(sql`
      SELECT c.operator_id, c.id, c.account_id, c.channel_type, c.thread_id, (
        SELECT jsonb_build_object('id', o.id, 'status', o.status, 'expires_at', o.expires_at) FROM special_offers o
        WHERE o.operator_id = ${operatorId} AND o.conversation_id = c.id AND o.offer_id = ${offer_id}) AS offer
      FROM (${conversationByCodeSql(sql, operatorId, code)}) c`)

const withdrawOffer = (sql: Sql) => (operatorId: number, id: number) =>
  readRowId(
    recordChange(sql, {
      change: sql`
        after AS (
          UPDATE special_offers SET status = 'withdrawn'
          WHERE operator_id = ${operatorId} AND id = ${id} AND status = ANY(${listPreviousStatuses("withdrawn")}::text[])
          RETURNING operator_id, id, offer_id
        )`,
      events: [],
      changedRecords: changedOffersSql(sql, sql`after`, sql`'{status}'::text[]`),
      outcome: sql`SELECT id FROM after`
    })
  )

const makeSpecialOfferStore = Effect.map(SqlClient.SqlClient, (sql) => ({
  conversationExists: conversationExists(sql),
  listOffers: listOffers(sql),
  findPreconditions: findPreconditions(sql),
  findInquiryPreconditions: findInquiryPreconditions(sql),
  recordOffer: recordOffer(sql),
  findOffer: findOffer(sql),
  withdrawOffer: withdrawOffer(sql)
}))

export class SpecialOfferStore extends Context.Service<
  SpecialOfferStore,
  {
    readonly conversationExists: (code: string) => Effect.Effect<boolean>
    readonly listOffers: (operatorId: number, code: string) => Effect.Effect<ConversationOffers | undefined>
    readonly findPreconditions: (
      operatorId: number,
      code: string,
      stay: OfferedListing
    ) => Effect.Effect<OfferPreconditions | undefined>
    readonly findInquiryPreconditions: (
      operatorId: number,
      code: string
    ) => Effect.Effect<InquiryPreconditions | undefined>
    /** An offer that the channel reported first stays as it is. */
    readonly recordOffer: (
      operatorId: number,
      conversationId: number,
      offer: NewOffer
    ) => Effect.Effect<RowId | undefined, never, CurrentActor>
    readonly findOffer: (
      operatorId: number,
      code: string,
      offerId: string
    ) => Effect.Effect<ConversationOffer | undefined>
    readonly withdrawOffer: (operatorId: number, id: number) => Effect.Effect<RowId | undefined, never, CurrentActor>
  }
>()("latchkey/domain/guests/special-offers/SpecialOfferStore") {
  static readonly layer = Layer.effect(SpecialOfferStore, makeSpecialOfferStore)
}
